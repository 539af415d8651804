// Functions of the library that one recipe calls.
#pragma once

#include "generator/check/program.h"

namespace opgen {

struct SingleCall {
  const CheckedFunction* function = nullptr;
  Span call;
};

/// Functions with one call, whose body is an expression or the statements of one variant: the caller could have it.
std::vector<SingleCall> single_calls(const CheckedProgram& program);

}  // namespace opgen
