// Warnings for specs that are correct: unused and duplicate functions, repeated messages, long expressions.
#pragma once

#include <vector>

#include "generator/check/program.h"
#include "generator/diagnostics/diagnostics.h"

namespace opgen {

void check_library(const CheckedProgram& program, Diagnostics& diagnostics);

/// A function of the library that one recipe calls.
struct SingleCall {
  const CheckedFunction* function = nullptr;
  Span call;
};
/// Functions with one call, whose body is an expression or the statements of one variant: the caller could contain it.
std::vector<SingleCall> single_calls(const CheckedProgram& program);

}  // namespace opgen
