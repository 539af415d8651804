// An ONNX graph for people to read.
#pragma once

#include <string>

#include "runtime/onnx/graph/graph.h"

namespace fluid2onnx {

/// A line for each node, bodies indented below theirs: "y: float32[n, 10] = Gemm(x, fc.w_0, fc.b_0; transB=1)". Small
/// constants are written out. Of more than `most` lines, those in the middle are left out. Ends with a newline.
std::string structure_text(const Model& model, size_t most);

}  // namespace fluid2onnx
