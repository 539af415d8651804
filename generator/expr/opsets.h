// The opsets that recipes are for.
#pragma once

namespace opgen {

/// What came before has attributes and broadcasting of its own kind.
constexpr int kOldestOpset = 7;
/// The newest of the ONNX library that is built against.
int newest_opset();

}  // namespace opgen
