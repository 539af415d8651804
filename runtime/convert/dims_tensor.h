// Numbers that may be known only at run time, as tensors. Shapes pass on whole where they can.
#pragma once

#include "runtime/onnx/graph/emitter.h"
#include "runtime/support/value.h"

namespace fluid2onnx {

/// 1-D int64. Not all dims are known: those are a constant.
Value dims_tensor(Emitter& emitter, const Dims& dims);
/// 0-D int64.
Value dim_tensor(Emitter& emitter, const Dim& dim);
/// The same elements under static dims.
Value reshape(Emitter& emitter, Value x, const Ints& dims);
/// Elements [from, to) of a 1-D tensor.
Value slice_vector(Emitter& emitter, Value x, int64_t from, int64_t to);

}  // namespace fluid2onnx
