#include "runtime/write/check.h"

#include <onnx/checker.h>

#include <set>
#include <string>

#include "runtime/support/error.h"

namespace fluid2onnx {
namespace {

/// The checker wants a shape for every output of the main graph, which a tensor of unknown rank has not. Its size, a
/// scalar, is checked in its stead.
void replace_unranked_outputs(onnx::GraphProto* graph) {
  for (auto& output : *graph->mutable_output()) {
    if (!output.type().has_tensor_type() || output.type().tensor_type().has_shape()) continue;
    auto* node = graph->add_node();
    node->set_op_type("Size");
    node->add_input(output.name());
    node->add_output(output.name() + "/size of a tensor without rank");
    output.set_name(node->output(0));
    output.mutable_type()->mutable_tensor_type()->set_elem_type(onnx::TensorProto::INT64);
    output.mutable_type()->mutable_tensor_type()->mutable_shape();
  }
}

}  // namespace

void check_model(const Model& model, onnx::ModelProto skeleton) {
  auto* graph = skeleton.mutable_graph();
  std::set<std::string> inputs;
  for (const auto& input : graph->input()) inputs.insert(input.name());
  for (const Value v : model.main().initializers) {
    const ValueInfo& info = model[v];
    if (const auto* proto = model.small_proto(v); proto && proto->data_type() != onnx::TensorProto::STRING) {
      auto* initializer = graph->add_initializer();
      *initializer = *proto;
      initializer->set_name(info.name);
    } else if (inputs.count(info.name) == 0) {
      auto* input = graph->add_input();
      input->set_name(info.name);
      *input->mutable_type() = info.type;
    }
  }
  replace_unranked_outputs(graph);
  try {
    onnx::checker::check_model(skeleton, /*full_check=*/true);
  } catch (const std::exception& e) {
    throw Error("E_CHECK", "ONNX's checker rejects the converted model: " + std::string(e.what()))
        .hint("this is a bug of the converter; please report it with the model");
  }
}

}  // namespace fluid2onnx
