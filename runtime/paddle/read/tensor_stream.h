#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "runtime/paddle/program/program.h"

namespace fluid2onnx {

/// One tensor of a parameter file (.pdiparams, __params__, single files). Little endian, packed:
///   u32 0, u64 number of LoD levels, per level (u64 n, n bytes), u32 0, i32 size of descriptor,
///   descriptor (framework.proto, TensorDesc), elements.
/// Names are not stored.
struct StreamTensor {
  Dtype dtype = Dtype::undefined;
  Shape dims;        ///< all >= 0
  TensorData data;   ///< just the elements
  uint64_t end = 0;  ///< offset of the byte after the tensor
};

/// Reads the tensor whose header starts at `offset`. Touches only the header, whatever the size of the
/// data. `what` names the tensor in messages, "parameter 'fc_0.w_0'".
/// Errors: E_TRUNCATED, E_BAD_PARAMS, with file and byte offset.
StreamTensor read_stream_tensor(const std::shared_ptr<const MappedFile>& file, uint64_t offset,
                                const std::string& what);

}  // namespace fluid2onnx
