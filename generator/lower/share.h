// Rows of a table that differ in constants only share one routine.
#pragma once

#include "generator/lower/form.h"

namespace opgen::lowered {

/// Makes Program::families, and calls of them out of the converters.
void share_rows(Program* program);

}  // namespace opgen::lowered
