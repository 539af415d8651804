// float32 numbers in 16 bits.
#pragma once

#include <cstdint>
#include <span>

#include "runtime/onnx/graph/tensor.h"

namespace fluid2onnx {

/// Replaces finite values beyond the range.
enum class Beyond : uint8_t {
  largest,  ///< the largest number that there is
  /// A quarter of it, of float16's: for masks that are added to each other and to scores, so that the sum
  /// is no infinity. The exponential of less than -16384 is 0 as well.
  quarter,
};
float stand_in(Beyond beyond, Dtype to);

/// Writes the numbers of `from`, float32, as float16 or bfloat16. What is finite stays finite and what is not 0 stays
/// so.
void narrow(std::span<const uint8_t> from, Dtype to, uint8_t* out, Beyond beyond = Beyond::largest);

/// The same as a tensor; one that is large or in a file is computed when it is written.
Tensor narrowed(const Tensor& tensor, Dtype to, Beyond beyond = Beyond::largest);

/// Gives back the memory of the file that the tensor is in, or of those that it is computed of.
void forget_pages(const Tensor& tensor);

struct Narrowed {
  const Tensor* from = nullptr;  ///< null: not made by narrowed(), or computed already
  Beyond beyond = Beyond::largest;
};
/// What a tensor made by narrowed(), and not computed yet, is made of.
Narrowed narrowed_from(const Tensor& tensor);

}  // namespace fluid2onnx
