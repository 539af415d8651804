#include "runtime/onnx/write/check.h"

#include <onnx/checker.h>
#include <onnx/shape_inference/implementation.h>

#include <algorithm>
#include <new>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "runtime/onnx/graph/node_inference.h"
#include "runtime/onnx/graph/schema.h"
#include "runtime/onnx/graph/schema_registry.h"
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

bool is_small(const Tensor& constant) { return constant.byte_size() <= kSmallTensorBytes; }

/// Large constants become inputs, small ones are initializers, in the graph to be checked.
void add_constants(const Model& model, onnx::GraphProto* graph) {
  std::set<std::string_view> inputs;
  for (const auto& input : graph->input()) inputs.insert(input.name());
  for (const Value v : model.main().initializers) {
    const ValueInfo& info = model[v];
    const Tensor& tensor = *info.constant;
    if (is_small(tensor)) {
      // Copied: protobuf's move from the heap to an arena copies too, but ends the process without memory.
      graph->add_initializer()->CopyFrom(to_proto(tensor, info.name));
    } else if (inputs.count(info.name) == 0) {
      auto* input = graph->add_input();
      input->set_name(info.name);
      *input->mutable_type() = info.type();
    }
  }
}

/// The type of a Reshape's result if `found` has no rank, but the type of its sizes tells how many they are. Not the
/// type in the model, which can be the program's guess.
std::optional<onnx::TypeProto> ranked_by_sizes(const Node& node, const onnx::TypeProto& found,
                                               const onnx::TypeProto* sizes) {
  const bool unranked = node.is("Reshape") && found.has_tensor_type() && !found.tensor_type().has_shape();
  if (!unranked || !sizes || !sizes->tensor_type().has_shape()) return std::nullopt;
  const auto rank = rank_of_sizes(&sizes->tensor_type().shape());
  if (!rank) return std::nullopt;
  return tensor_type(static_cast<Dtype>(found.tensor_type().elem_type()), Ints(static_cast<size_t>(*rank), -1));
}

/// Of a graph that was checked, so that it has the types that inference found.
std::vector<DeclaredRank> unranked_results(const Model& model, const onnx::GraphProto& checked) {
  std::unordered_map<std::string_view, const onnx::TypeProto*> types;
  for (const auto& value : checked.value_info()) types.emplace(value.name(), &value.type());
  std::vector<DeclaredRank> unranked;
  for (const NodeId id : model.main().nodes) {
    const Node& node = model.node(id);
    if (!node.is("Reshape")) continue;
    const auto found = types.find(model[node.outputs[0]].name), sizes = types.find(model[node.inputs[1]].name);
    if (found == types.end() || sizes == types.end()) continue;
    if (auto type = ranked_by_sizes(node, *found->second, sizes->second)) {
      unranked.push_back({node.outputs[0], std::move(*type)});
    }
  }
  return unranked;
}

/// Returns the results whose rank must be declared. The second check is with these declarations.
std::vector<DeclaredRank> check_whole(const Model& model, const ModelText& text) {
  google::protobuf::Arena arena;
  onnx::ModelProto* skeleton = model_proto(model, text, &arena);
  onnx::GraphProto* graph = skeleton->mutable_graph();
  add_constants(model, graph);
  replace_unranked_outputs(graph);
  check_as_onnx(skeleton);
  auto unranked = unranked_results(model, *graph);
  if (unranked.empty()) return unranked;
  graph->clear_value_info();
  for (const auto& [value, type] : unranked) value_proto(model, value, type, graph->add_value_info());
  check_as_onnx(skeleton);
  return unranked;
}

/// True for nodes whose bodies or definitions take part in inference: ONNX checks such models as a whole.
bool only_onnx_can(const Model& model) {
  const auto& nodes = model.main().nodes;
  return std::any_of(nodes.begin(), nodes.end(), [&](NodeId id) {
    const Node& node = model.node(id);
    if (!node.domain.empty() || !node.bodies.empty()) return true;
    const Schema* schema = find_schema(node.op_type, model.opset());
    return !schema || (!schema->infer && schema->onnx->HasFunction());
  });
}

[[noreturn]] void reject(const std::string& why) {
  throw Error(E_CHECK, "ONNX's checker rejects the converted model: " + why).hint(kReportBug);
}

/// What ONNX throws becomes our error.
template <class F>
void as_error(F f, const onnx::NodeProto* node = nullptr) {
  try {
    f();
  } catch (const Error&) {
    throw;
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception& e) {
    reject(e.what() + (node ? " (node '" + node->name() + "' " + node->op_type() + ")" : std::string()));
  }
}

using KnownTypes = std::vector<const onnx::TypeProto*>;  // by value; null: unknown

/// A node with the types that ONNX's inference finds from the inputs on. They can differ from those of the Model.
class CheckedNode : public ModelNode {
 public:
  CheckedNode(const Model& model, const Node& node, const KnownTypes& known) : ModelNode(model, node), known_(known) {}

  bool has_result(size_t i) const override { return static_cast<bool>(node_.outputs[i]); }
  const onnx::TypeProto* type(size_t i) const override {
    return has_operand(i) ? known_[static_cast<size_t>(node_.inputs[i].id)] : nullptr;
  }
  const onnx::TensorShapeProto* elements(size_t) const override { return nullptr; }

 private:
  const KnownTypes& known_;
};

Dtype dtype_of(const onnx::TypeProto* type) {
  return type && type->has_tensor_type() ? static_cast<Dtype>(type->tensor_type().elem_type()) : Dtype::undefined;
}

/// What OpSchema::CheckInputOutputType finds right, without texts for types: all are tensors of dtypes that the schema
/// admits, the same for the same variable. False if unknown.
bool types_fit(const Schema& schema, const Node& node, const NodeView& operands, const Types& results) {
  std::vector<Dtype> of_variable(schema.variables.size(), Dtype::undefined);
  const auto fits = [&](const SchemaParam* param, const onnx::TypeProto* type) {
    const Dtype dtype = dtype_of(type);
    if (!param || dtype == Dtype::undefined || !param->dtypes.has(dtype)) return false;
    if (param->variable < 0) return param->variadic || param->dtypes.only() == dtype;
    Dtype& common = of_variable[static_cast<size_t>(param->variable)];
    if (common == Dtype::undefined) common = dtype;
    return common == dtype;
  };
  for (size_t i = 0; i < node.inputs.size(); ++i) {
    const onnx::TypeProto* type = operands.type(i);
    if (type && !fits(schema.input(i), type)) return false;
  }
  for (size_t i = 0; i < node.outputs.size(); ++i) {
    if (!fits(schema.output(i), &results[static_cast<int>(i)])) return false;
  }
  return true;
}

}  // namespace

class ModelCheck::NodeByNode {
 public:
  NodeByNode(const Model& model, const ModelText& text) : model_(model), types_(model.value_count(), nullptr) {
    context_.set_ir_version(ir_version_of(model, text));
    context_.set_opset_imports({{"", model.opset()}});
    context_.set_schema_registry(&schema_registry());
    check_ports(text);
    for (const Value v : model.main().inputs) types_[index(v)] = &model[v].type();
    for (const Value v : model.main().initializers) types_[index(v)] = &model[v].type();
    defined_.resize(types_.size());
    for (size_t i = 0; i < types_.size(); ++i) defined_[i] = types_[i] != nullptr;
    for (const Value v : model.main().outputs) {
      if (types_[index(v)] || model[v].type().value_case() == onnx::TypeProto::VALUE_NOT_SET) continue;
      types_[index(v)] = declared_[v.id] = keep(model[v].type());
    }
  }

  void check(const Node& node, const onnx::NodeProto& proto) {
    for (const Value v : node.inputs) {
      if (v && !defined_[index(v)]) reject("'" + model_[v].name + "' is read before it is computed");
    }
    onnx::checker::check_node(proto, context_, onnx::checker::LexicalScopeContext());
    infer(node);
    for (const Value v : node.outputs) {
      if (!v) continue;
      if (defined_[index(v)]) reject("'" + model_[v].name + "' is computed twice");
      defined_[index(v)] = true;
    }
  }

  std::vector<DeclaredRank> finish() {
    for (const Value v : model_.main().outputs) {
      if (!defined_[index(v)]) reject("output '" + model_[v].name + "' has no producer");
    }
    return std::move(unranked_);
  }

 private:
  static size_t index(Value v) { return static_cast<size_t>(v.id); }

  /// Inputs, outputs and constants, as the graph that they are of without its nodes.
  void check_ports(const ModelText& text) const {
    onnx::GraphProto graph;
    port_protos(model_, text, &graph);
    for (const Value v : model_.main().initializers) check_constant(v);
    for (const auto& output : graph.output()) {
      const auto& type = output.type();
      // The checker wants a shape, which a tensor of unknown rank has not.
      if (type.has_tensor_type() && !type.tensor_type().has_shape()) continue;
      onnx::checker::check_value_info(output, context_);
    }
    graph.clear_output();
    onnx::checker::check_graph(graph, context_, onnx::checker::LexicalScopeContext());
  }

  /// One at a time: all together they would take more memory than the nodes.
  void check_constant(Value v) const {
    const ValueInfo& info = model_[v];
    if (is_small(*info.constant)) {
      onnx::checker::check_tensor(to_proto(*info.constant, info.name), context_);
      return;
    }
    onnx::ValueInfoProto input;
    input.set_name(info.name);
    *input.mutable_type() = info.type();
    onnx::checker::check_value_info(input, context_);
  }

  void infer(const Node& node) {
    const Schema* schema = find_schema(node.op_type, model_.opset());
    google::protobuf::ArenaOptions options;
    options.initial_block = block_;
    options.initial_block_size = sizeof block_;
    google::protobuf::Arena arena(options);
    Types results(&arena);
    for (size_t i = 0; i < node.outputs.size(); ++i) results.Add();
    const CheckedNode view(model_, node, types_);
    NodeInference context(view, &results);
    if (schema->infer) schema->infer(context);
    if (!types_fit(*schema, node, view, results)) schema->onnx->CheckInputOutputType(context);
    for (size_t i = 0; i < node.outputs.size(); ++i) {
      const Value v = node.outputs[i];
      const onnx::TypeProto& found = results[static_cast<int>(i)];
      if (!v || found.value_case() == onnx::TypeProto::VALUE_NOT_SET) continue;
      if (const auto declared = declared_.find(v.id); declared != declared_.end()) {
        onnx::shape_inference::mergeShapesAndTypes(found, declared->second);
      } else if (auto ranked = ranked_by_sizes(node, found, view.type(1))) {
        types_[index(v)] = keep(*ranked);
        unranked_.push_back({v, std::move(*ranked)});
      } else if (same_type(found, model_[v].type())) {
        types_[index(v)] = &model_[v].type();
      } else {
        types_[index(v)] = keep(found);
      }
    }
  }

  onnx::TypeProto* keep(const onnx::TypeProto& type) {
    auto* kept = google::protobuf::Arena::CreateMessage<onnx::TypeProto>(&arena_);
    *kept = type;
    return kept;
  }

  const Model& model_;
  onnx::checker::CheckerContext context_;
  google::protobuf::Arena arena_;
  KnownTypes types_;  // as ONNX's inference finds them, from the inputs and declared ranks on
  std::vector<DeclaredRank> unranked_;
  std::vector<bool> defined_;
  std::unordered_map<int32_t, onnx::TypeProto*> declared_;  // of outputs
  alignas(8) char block_[8192];
};

ModelCheck::ModelCheck(const Model& model, const ModelText& text) {
  as_error([&] {
    if (only_onnx_can(model)) {
      unranked_ = check_whole(model, text);
    } else {
      nodes_ = std::make_unique<NodeByNode>(model, text);
    }
  });
}

ModelCheck::~ModelCheck() = default;

void ModelCheck::node(const Node& node, const onnx::NodeProto& proto) {
  if (nodes_) as_error([&] { nodes_->check(node, proto); }, &proto);
}

std::vector<DeclaredRank> ModelCheck::finish() { return nodes_ ? nodes_->finish() : std::move(unranked_); }

}  // namespace fluid2onnx
