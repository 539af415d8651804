// What is left over in the library of functions, or stands there twice.
#pragma once

#include "generator/check/program.h"

namespace opgen {

/// Warns of functions that nothing calls, and of those that compute the same as another one.
void check_library(const CheckedProgram& program, Diagnostics& diagnostics);

}  // namespace opgen
