// Tensors of an ONNX file, in whatever way their elements are stored.
#pragma once

#include <onnx/onnx_pb.h>

#include "runtime/onnx/graph/tensor.h"
#include "runtime/onnx/read/open_model.h"

namespace fluid2onnx {

/// Elements that are stored as they are in memory stay where they are, in the mapped file: those of raw_data,
/// float_data and double_data, and of external files, which must be in the model's folder. Others are copied. Errors:
///   E_CONSTANT_DTYPE            an element type that tensors here do not have (strings, 4-bit numbers ...)
///   E_TENSOR, E_TOO_LARGE       impossible dims, or data of another size
///   E_NO_PARAMS                 an external file that is not there
///   E_BAD_PARAMS, E_TRUNCATED   a damaged one, or a place that is outside of the folder
///   E_UNSUPPORTED               a part of a tensor
Tensor tensor_of(const onnx::TensorProto& proto, OnnxFile& onnx);

/// With its zeros, up to a gigabyte.
Tensor tensor_of(const onnx::SparseTensorProto& proto, OnnxFile& onnx);

}  // namespace fluid2onnx
