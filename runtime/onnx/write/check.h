// Checks a model with ONNX's checker before the file appears.
#pragma once

#include <onnx/onnx_pb.h>

#include <memory>
#include <vector>

#include "runtime/onnx/write/model_proto.h"

namespace fluid2onnx {

/// A value whose type the file must declare.
struct DeclaredRank {
  Value value;
  onnx::TypeProto type;  ///< dtype and rank
};

/// The checker and strict shape inference with type checks. Throws E_CHECK.
///
/// Accepts what ONNX's own check accepts, but works node by node with types by id, because ONNX copies the model.
/// Models with nested graphs, functions or other domains are passed to ONNX as a whole. Large constants are declared
/// as inputs, because the checker wants the bytes of initializers.
class ModelCheck {
 public:
  ModelCheck(const Model& model, const ModelText& text);
  ~ModelCheck();
  /// To be called for all nodes of the main graph, in order.
  void node(const Node& node, const onnx::NodeProto& proto);
  /// Checks the outputs. Returns results of Reshape in the main graph whose rank ONNX's inference does not find: it is
  /// the number of the sizes. Engines need them declared.
  std::vector<DeclaredRank> finish();

 private:
  class NodeByNode;
  std::unique_ptr<NodeByNode> nodes_;   ///< null: the model was checked as a whole
  std::vector<DeclaredRank> unranked_;  ///< if it was checked as a whole
};

}  // namespace fluid2onnx
