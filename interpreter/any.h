// A value of a recipe that is interpreted: each type of the language as the compiled converters have it.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "runtime/support/value.h"

namespace fluid2onnx::interpreter {

class NodeBuilder;

using Any = std::variant<std::monostate, bool, int64_t, double, std::string, Dtype, Dim, Scalar, Value, Operand, Bools,
                         Ints, Floats, Strings, Dtypes, Dims, Scalars, Values, Operands, Constant, const NodeBuilder*>;

}  // namespace fluid2onnx::interpreter
