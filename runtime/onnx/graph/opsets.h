// The opsets that models can be written for.
#pragma once

namespace fluid2onnx {

/// The oldest: earlier opsets have other attributes and broadcasting rules.
constexpr int kOldestOpset = 7;
/// The newest of the ONNX library that is built against.
int newest_opset();

}  // namespace fluid2onnx
