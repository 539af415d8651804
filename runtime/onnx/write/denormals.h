// Denormal weights: so small that processors need about a hundred cycles for each. Paddle's predictor takes them for 0.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "runtime/onnx/graph/tensor.h"

namespace fluid2onnx {

/// Replaces denormal elements of weights by 0, and counts them.
class DenormalFlush {
 public:
  /// True for float32 tensors with at least 64 elements.
  static bool applies_to(const Tensor& tensor);

  /// The bytes with 0 for each denormal. They are the given bytes, or a copy that lives until the next call.
  std::span<const uint8_t> operator()(std::span<const uint8_t> bytes);

  uint64_t count() const { return count_; }

 private:
  std::vector<uint8_t> changed_;
  uint64_t count_ = 0;
};

}  // namespace fluid2onnx
