// A Model as ONNX's protobufs, without the bytes of its constants.
#pragma once

#include <google/protobuf/arena.h>
#include <onnx/onnx_pb.h>

#include <string>
#include <utility>
#include <vector>

#include "runtime/onnx/graph/graph.h"

namespace fluid2onnx {

struct ModelText {
  std::string producer_version;
  std::vector<std::pair<std::string, std::string>> metadata;  ///< keys are unique
  int ir_version = 0;                                         ///< 0: that of the opset
};

/// The IR version that came with an opset of the default domain. In version 3, initializers are also inputs.
int oldest_ir_version_for(int opset);

/// The lowest IR version for an opset in which initializers need not be inputs.
int ir_version_for(int opset);

/// The IR version that is written: the one in `text`, or that of the opset.
int ir_version_of(const Model& model, const ModelText& text);

/// All but the constants of the main graph, whose names and types are among the inputs where the IR version demands
/// that. Constants of nested graphs are there with their bytes: they are small.
///
/// Allocated in `arena`, because freeing a large message tree takes as long as building it.
onnx::ModelProto* model_proto(const Model& model, const ModelText& text, google::protobuf::Arena* arena);

// The same in parts: all but the graph, all of the main graph but its nodes, and one node.
onnx::ModelProto frame_proto(const Model& model, const ModelText& text);
void port_protos(const Model& model, const ModelText& text, onnx::GraphProto* graph);
void node_proto(const Model& model, const Node& node, onnx::NodeProto* proto);
void value_proto(const Model& model, Value v, const onnx::TypeProto& type, onnx::ValueInfoProto* proto);

/// name, dtype and dims of a constant, without bytes.
onnx::TensorProto tensor_header(const Model& model, Value constant);

}  // namespace fluid2onnx
