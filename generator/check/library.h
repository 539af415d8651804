// What is right, and could be better: left over in the library of functions, there twice, or too long.
#pragma once

#include "generator/check/program.h"

namespace opgen {

/// Warns of functions that nothing calls, of those that compute the same as another one, of messages that stand in
/// several places, and of long expressions.
void check_library(const CheckedProgram& program, Diagnostics& diagnostics);

}  // namespace opgen
