// The current values of names in a graph of the ONNX file. The binder has one for each open graph.
#pragma once

#include <onnx/onnx_pb.h>

#include <string>
#include <unordered_map>

#include "runtime/support/value.h"

namespace fluid2onnx {

struct OnnxScope {
  const onnx::GraphProto* graph;
  std::unordered_map<std::string, Value> values;  ///< by name
  std::unordered_map<std::string, const onnx::TensorProto*> initializers;
  std::unordered_map<std::string, const onnx::SparseTensorProto*> sparse;
  int node = -1;  ///< the one that is converted now
};

}  // namespace fluid2onnx
