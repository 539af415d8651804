// Complex numbers. Neither the operators of ONNX nor ONNX Runtime know them, so a complex tensor is carried as a real
// one: its real and imaginary parts are a last axis of size 2.
#pragma once

#include <string_view>

#include "runtime/support/dtype.h"

namespace fluid2onnx {

inline bool is_complex(Dtype dtype) { return dtype == Dtype::complex64 || dtype == Dtype::complex128; }

/// The dtype of the parts of a complex number; other dtypes as they are.
inline Dtype part_dtype(Dtype dtype) {
  return dtype == Dtype::complex64 ? Dtype::float32 : dtype == Dtype::complex128 ? Dtype::float64 : dtype;
}

/// True if the converter of an operator takes complex operands in a slot.
bool takes_complex(std::string_view op, std::string_view slot);

}  // namespace fluid2onnx
