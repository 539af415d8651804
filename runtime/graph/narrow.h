// float32 numbers in 16 bits.
#pragma once

#include <cstdint>
#include <span>

#include "runtime/graph/tensor.h"

namespace fluid2onnx {

/// Writes the numbers of `from`, float32, as float16 or bfloat16. What is finite stays finite and what is not 0 stays
/// so: numbers beyond the range become the largest or smallest that there is. Gives how many were too large.
uint64_t narrow(std::span<const uint8_t> from, Dtype to, uint8_t* out);

/// The same as a tensor; one that is large or in a file is computed when it is written.
Tensor narrowed(const Tensor& tensor, Dtype to);
/// What a tensor made by narrowed(), and not computed yet, is made of; else null.
const Tensor* narrowed_from(const Tensor& tensor);

}  // namespace fluid2onnx
