// The parts of every well-formed operator, to distinguish damaged programs from unsupported ones.
#pragma once

#include <string_view>
#include <vector>

namespace fluid2onnx {

/// The input slots that a converter reads without asking, and that Paddle's definition of the operator requires.
/// None for unknown operators. A converter may only be called when each holds a tensor.
std::vector<std::string_view> required_slots(std::string_view op);

}  // namespace fluid2onnx
