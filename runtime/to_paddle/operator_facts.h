// Facts about single operators of Paddle.
#pragma once

#include <string_view>

namespace fluid2onnx {

/// True if the kernel also reads lists of int64 tensors.
bool reads_wide_lists(std::string_view op_type);

/// True if the operator's oneDNN kernel, which Paddle's predictor prefers for floats, cannot broadcast 0-D tensors.
bool needs_axes(std::string_view op_type);

/// True if the kernel selects elements and fails on tensors without elements.
bool fails_on_empty(std::string_view op_type);

/// True if booleans in the slot select the result and do not decide in which dtype the kernel computes.
bool is_condition(std::string_view slot);

}  // namespace fluid2onnx
