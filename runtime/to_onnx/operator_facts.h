// Facts about single operators of Paddle.
#pragma once

#include <string_view>

#include "runtime/paddle/program/program.h"

namespace fluid2onnx {

/// True if the operator's result is Paddle's stand-in for a variable that the Python function had not assigned.
bool gives_undefined(const Op& op);

/// True if the operator reads a tensor array that a loop holds as rows of steps (Binder::sequence_of), not as an ONNX
/// sequence.
bool takes_steps(std::string_view op_type);

/// True if the operator's result sizes follow from its operands' sizes alone, and inference does not see it because
/// the operator becomes a loop or slices.
bool has_sizes_of_operands(std::string_view op_type);

}  // namespace fluid2onnx
