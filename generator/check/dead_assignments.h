// Assignments whose values nothing reads.
#pragma once

#include "generator/check/program.h"

namespace opgen {

/// Reports them in the statements of a variant, whose results are `live` behind it.
void check_dead_assignments(const CheckedVariant& variant, const std::vector<CheckedInput>& results,
                            Diagnostics& diagnostics);

}  // namespace opgen
