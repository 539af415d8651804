// Rows of a table that are equal, or differ in constants and in what they emit, share one routine.
#pragma once

#include "generator/lower/form.h"

namespace opgen::lowered {

/// Gives equal rows one converter; makes Program::families of similar ones, and calls of them out of the converters.
void share_rows(Program* program);

}  // namespace opgen::lowered
