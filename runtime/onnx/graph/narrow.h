// Conversion of float32 tensors to float16 and bfloat16.
#pragma once

#include <cstdint>
#include <span>

#include "runtime/onnx/graph/tensor.h"

namespace fluid2onnx {

/// The replacement of finite values that exceed the range.
enum class Overflow : uint8_t {
  saturate,  ///< the largest finite value of the type
  /// A quarter of float16's largest value (16384), for masks: the sum of several masks and a score stays finite, and
  /// exp(-16384) is 0.
  quarter,
};
float replacement(Overflow overflow, Dtype to);

/// Converts the float32 values of `from` to float16 or bfloat16. Finite values stay finite, and nonzero values nonzero.
void narrow(std::span<const uint8_t> from, Dtype to, uint8_t* out, Overflow overflow = Overflow::saturate);

/// Converts a tensor. A tensor that is large or stored in a file is converted when it is written.
Tensor narrowed(const Tensor& tensor, Dtype to, Overflow overflow = Overflow::saturate);

/// Releases the pages of the mapped files that contain the tensor's data.
void release_pages(const Tensor& tensor);

struct Narrowed {
  const Tensor* from = nullptr;  ///< null: not made by narrowed(), or computed already
  Overflow overflow = Overflow::saturate;
};
/// What a tensor made by narrowed(), and not computed yet, is made of.
Narrowed narrowed_from(const Tensor& tensor);

}  // namespace fluid2onnx
