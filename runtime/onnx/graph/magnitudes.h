// The range of the values in a float32 tensor.
#pragma once

#include <cstdint>

#include "runtime/onnx/graph/tensor.h"

namespace fluid2onnx {

struct Magnitudes {
  float largest = 0;    ///< the largest magnitude of the finite values
  float smallest = 0;   ///< the smallest magnitude of the finite nonzero values; 0: no such value exists
  uint64_t beyond = 0;  ///< the number of finite values that the other dtype would round to infinity
};

/// Reads a tensor in blocks of some megabytes, and releases each block after it.
Magnitudes magnitudes(const Tensor& tensor, Dtype to);

/// The smallest magnitude that float16 represents with a relative error of at most 2^-7.
constexpr float kSmallestInFloat16 = 1.0F / (1 << 18);
constexpr float kLargestInFloat16 = 65504;

}  // namespace fluid2onnx
