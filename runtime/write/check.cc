#include "runtime/write/check.h"

#include <onnx/checker.h>
#include <onnx/shape_inference/implementation.h>

#include <set>
#include <string>
#include <string_view>
#include <unordered_map>

#include "runtime/graph/schema_registry.h"
#include "runtime/support/error.h"

namespace fluid2onnx {
namespace {

constexpr uint64_t kSmall = 1024;  // inference looks at the numbers of small constants only

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

/// ONNX's full check, but in place, where that would make a copy of the model first.
void check_as_onnx(onnx::ModelProto* skeleton) {
  onnx::checker::CheckerContext context;
  context.set_ir_version(static_cast<int>(skeleton->ir_version()));
  std::unordered_map<std::string, int> imports;
  for (const auto& opset : skeleton->opset_import()) imports[opset.domain()] = static_cast<int>(opset.version());
  context.set_opset_imports(imports);
  context.set_schema_registry(&schema_registry());
  onnx::checker::check_graph(skeleton->graph(), context, onnx::checker::LexicalScopeContext());
  const onnx::ShapeInferenceOptions options(/*check_type_val=*/true, /*strict_mode_val=*/1);
  onnx::shape_inference::InferShapes(*skeleton, &schema_registry(), options);
}

}  // namespace

void check_model(const Model& model, const ModelText& text) {
  google::protobuf::Arena arena;
  onnx::ModelProto* skeleton = model_proto(model, text, &arena);
  auto* graph = skeleton->mutable_graph();
  std::set<std::string_view> inputs;
  for (const auto& input : graph->input()) inputs.insert(input.name());
  for (const Value v : model.main().initializers) {
    const ValueInfo& info = model[v];
    const Tensor& tensor = *info.constant;
    if (tensor.byte_size() <= kSmall && tensor.dtype() != Dtype::string) {
      *graph->add_initializer() = to_proto(tensor, info.name);
    } else if (inputs.count(info.name) == 0) {
      auto* input = graph->add_input();
      input->set_name(info.name);
      *input->mutable_type() = info.type;
    }
  }
  replace_unranked_outputs(graph);
  try {
    check_as_onnx(skeleton);
  } catch (const std::exception& e) {
    throw Error("E_CHECK", "ONNX's checker rejects the converted model: " + std::string(e.what()))
        .hint("this is a bug of the converter; please report it with the model");
  }
}

}  // namespace fluid2onnx
