// Numbers of a converter (fluid2onnx::Constant) as a tensor of a dtype.
#pragma once

#include <optional>
#include <string>

#include "runtime/onnx/graph/tensor.h"

namespace fluid2onnx {

/// Nothing if the dtype cannot hold a number (1.5 as an integer, 300 as uint8); `why` then has the reason. Floats are
/// rounded to nearest; INT64_MAX and INT64_MIN, which mean "to the end", become the ends of a narrower integer.
std::optional<Tensor> make_tensor(const Constant& constant, Dtype dtype, std::string* why = nullptr);

/// int64, float32 or bool by the kind of the numbers.
Dtype natural_dtype(const Constant& constant);

}  // namespace fluid2onnx
