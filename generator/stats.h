// `opgen stats`.
#pragma once

#include "generator/compile.h"

namespace opgen {

/// Prints the numbers of operators, variants, examples and natives.
void print_stats(const Compiled& compiled);

}  // namespace opgen
