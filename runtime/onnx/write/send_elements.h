// The bytes of a tensor, on their way to a file.
#pragma once

#include "runtime/files/output_file.h"
#include "runtime/onnx/graph/tensor.h"

namespace fluid2onnx {

/// Writes the elements from where they are. A lazy tensor exists only until it is written. `edit`: see
/// OutputFile::copy; not applied to weights in 16 bits.
void send_elements(const Tensor& tensor, OutputFile* file, const OutputFile::Edit& edit = {});

}  // namespace fluid2onnx
