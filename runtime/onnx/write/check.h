// Checks a model with ONNX's checker before the file appears.
#pragma once

#include <memory>

#include "runtime/onnx/write/model_proto.h"

namespace fluid2onnx {

/// The checker and strict shape inference with type checks. Throws E_CHECK.
///
/// Large constants take part as inputs: the checker wants the bytes of whatever is an initializer, and inference never
/// needs the numbers of a tensor larger than a kilobyte. Constants up to that size are there as they are.
///
/// ONNX checks a model as a whole, with maps from names to types and a protobuf for each. Here its checks of one node,
/// and its inference functions, are called node by node with types looked up by id: the same verdicts, since a node
/// sees the same types, and names are unique by construction. Models with graphs inside, and with nodes that only
/// ONNX's inference knows how to open (functions, other domains), are given to ONNX as a whole.
class ModelCheck {
 public:
  ModelCheck(const Model& model, const ModelText& text);
  ~ModelCheck();
  /// To be called for all nodes of the main graph, in order.
  void node(const Node& node, const onnx::NodeProto& proto);
  /// Checks the outputs.
  void finish();

 private:
  class NodeByNode;
  std::unique_ptr<NodeByNode> nodes_;  ///< null: the model was checked as a whole
};

}  // namespace fluid2onnx
