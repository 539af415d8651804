// The opsets that recipes are for.
#pragma once

namespace opgen {

/// Older opsets have other attributes and broadcasting rules.
constexpr int kOldestOpset = 7;
/// The newest of the ONNX library that is built against.
int newest_opset();

}  // namespace opgen
