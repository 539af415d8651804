// How large the numbers of a float32 tensor are, before they go into 16 bits.
#pragma once

#include <cstdint>

#include "runtime/onnx/graph/tensor.h"

namespace fluid2onnx {

struct Magnitudes {
  float largest = 0;    ///< of the finite numbers
  float smallest = 0;   ///< of the finite numbers that are not 0; 0: there are none
  uint64_t beyond = 0;  ///< finite numbers that the other dtype would round to infinity
};

/// Reads a tensor from end to end, some megabytes at a time, and keeps nothing of it.
Magnitudes magnitudes(const Tensor& tensor, Dtype to);

/// Numbers that float16 holds to a relative error of at most 2^-7. Below, most of what they say is lost.
constexpr float kSmallestInFloat16 = 1.0F / (1 << 18);
constexpr float kLargestInFloat16 = 65504;

}  // namespace fluid2onnx
