// The opsets that models can be written for.
#pragma once

namespace fluid2onnx {

/// The oldest: what came before has attributes and broadcasting of its own kind.
constexpr int kOldestOpset = 7;
/// The newest of the ONNX library that is built against.
int newest_opset();

}  // namespace fluid2onnx
