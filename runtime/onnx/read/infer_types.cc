#include "runtime/onnx/read/infer_types.h"

#include <onnx/defs/function.h>
#include <onnx/shape_inference/implementation.h>

#include <deque>
#include <exception>
#include <memory>
#include <new>
#include <utility>
#include <vector>

#include "runtime/onnx/graph/node_inference.h"
#include "runtime/onnx/graph/schema.h"
#include "runtime/onnx/graph/schema_registry.h"

namespace fluid2onnx {
namespace {

using onnx::AttributeProto;
using onnx::GraphProto;
using onnx::NodeProto;
using onnx::TensorProto;
using onnx::TensorShapeProto;
using onnx::TypeProto;

bool is_set(const TypeProto& type) { return type.value_case() != TypeProto::VALUE_NOT_SET; }

const AttributeProto* attribute_of(const NodeProto& node, const std::string& name) {
  for (const auto& attribute : node.attribute()) {
    if (attribute.name() == name) return &attribute;
  }
  return nullptr;
}

/// What is known inside one graph, and in those around it.
struct Scope {
  const Scope* outer = nullptr;
  TypesByName* types = nullptr;
  std::unordered_map<std::string, const TensorProto*> constants;                      // with their elements
  std::unordered_map<std::string, std::shared_ptr<const TensorShapeProto>> elements;  // of small vectors of integers
  std::unordered_map<std::string, const onnx::SparseTensorProto*> sparse;
  std::deque<TensorProto> made;  // constants that are attributes in the file

  const TypeProto* type(const std::string& name) const {
    const auto found = types->find(name);
    if (found != types->end()) return &found->second;
    return outer ? outer->type(name) : nullptr;
  }
  const TensorProto* constant(const std::string& name) const { return find(&Scope::constants, name); }
  const onnx::SparseTensorProto* sparse_constant(const std::string& name) const { return find(&Scope::sparse, name); }
  const TensorShapeProto* known_elements(const std::string& name) const { return find(&Scope::elements, name); }

 private:
  /// The entry of the innermost graph that defines the name.
  template <class Pointer>
  auto find(const std::unordered_map<std::string, Pointer> Scope::*map, const std::string& name) const
      -> decltype(&*Pointer()) {
    const auto found = (this->*map).find(name);
    if (found != (this->*map).end()) return &*found->second;
    return outer && !types->count(name) ? outer->find(map, name) : nullptr;
  }
};

class Inference {
 public:
  Inference(const OnnxFile& onnx, GraphTypes* types) : onnx_(onnx), types_(*types) {}

  /// `inputs` null, or shorter: the graph's own declarations.
  void graph(const GraphProto& graph, const Scope* outer, const std::vector<const TypeProto*>* inputs);

  const TypesByName& types_of(const GraphProto& graph) { return types_[&graph]; }

 private:
  void constants(const GraphProto& graph, Scope* scope);
  void node(const NodeProto& node, const TypesByName& declared, Scope* scope);
  void constant_node(const NodeProto& node, Scope* scope);

  const OnnxFile& onnx_;
  GraphTypes& types_;
};

/// What an operator with graphs asks about them.
class BodyInferencer : public onnx::GraphInferencer {
 public:
  BodyInferencer(Inference* inference, const GraphProto& graph, const Scope& scope)
      : inference_(*inference), graph_(graph), scope_(scope) {}

  std::vector<const TypeProto*> doInferencing(const std::vector<const TypeProto*>& inputs,
                                              const std::vector<const TensorProto*>&) override {
    inference_.graph(graph_, &scope_, &inputs);
    const TypesByName& types = inference_.types_of(graph_);
    std::vector<const TypeProto*> outputs;
    for (const auto& output : graph_.output()) {
      const auto found = types.find(output.name());
      const TypeProto* outer = found == types.end() ? scope_.type(output.name()) : &found->second;
      outputs.push_back(outer ? outer : &output.type());
    }
    return outputs;
  }

 private:
  Inference& inference_;
  const GraphProto& graph_;
  const Scope& scope_;
};

class FileNode : public NodeView {
 public:
  FileNode(Inference* inference, const NodeProto& node, const Scope& scope)
      : inference_(*inference), node_(node), scope_(scope) {}

  const std::string& op_type() const override { return node_.op_type(); }
  const AttributeProto* attribute(const std::string& name) const override { return attribute_of(node_, name); }
  size_t operand_count() const override { return static_cast<size_t>(node_.input_size()); }
  bool has_operand(size_t i) const override { return i < operand_count() && !name(i).empty(); }
  bool has_result(size_t i) const override { return !node_.output(static_cast<int>(i)).empty(); }
  const TypeProto* type(size_t i) const override { return has_operand(i) ? scope_.type(name(i)) : nullptr; }
  const TensorProto* constant(size_t i) const override { return has_operand(i) ? scope_.constant(name(i)) : nullptr; }
  const onnx::SparseTensorProto* sparse_constant(size_t i) const override {
    return has_operand(i) ? scope_.sparse_constant(name(i)) : nullptr;
  }
  const TensorShapeProto* elements(size_t i) const override {
    return has_operand(i) ? scope_.known_elements(name(i)) : nullptr;
  }
  bool is_constant(size_t i, std::unique_ptr<TensorShapeProto>* ints) const override {
    const TensorProto* tensor = constant(i);
    if (!tensor || tensor->dims_size() > 1 || (tensor->dims_size() == 1 && tensor->dims(0) > kMostElements)) {
      return tensor != nullptr;
    }
    if (tensor->data_type() == TensorProto::INT64) *ints = elements_of(onnx::ParseData<int64_t>(tensor));
    if (tensor->data_type() == TensorProto::INT32) *ints = elements_of(onnx::ParseData<int32_t>(tensor));
    return true;
  }
  std::unique_ptr<onnx::GraphInferencer> body(const std::string& attribute) const override {
    const AttributeProto* body = attribute_of(node_, attribute);
    return body && body->has_g() ? std::make_unique<BodyInferencer>(&inference_, body->g(), scope_) : nullptr;
  }

 private:
  const std::string& name(size_t i) const { return node_.input(static_cast<int>(i)); }

  Inference& inference_;
  const NodeProto& node_;
  const Scope& scope_;
};

/// Types that inference does not find are as declared; so are the names of dims.
void adopt_declared(const TypeProto& declared, TypeProto* type) {
  if (!is_set(*type)) {
    *type = declared;
    return;
  }
  if (!type->has_tensor_type() || !declared.has_tensor_type()) return;
  auto* tensor = type->mutable_tensor_type();
  if (tensor->elem_type() == 0) tensor->set_elem_type(declared.tensor_type().elem_type());
  if (!declared.tensor_type().has_shape()) return;
  if (!tensor->has_shape()) {
    *tensor->mutable_shape() = declared.tensor_type().shape();
    return;
  }
  const auto& dims = declared.tensor_type().shape().dim();
  if (dims.size() != tensor->shape().dim_size()) return;
  for (int i = 0; i < dims.size(); ++i) {
    auto* dim = tensor->mutable_shape()->mutable_dim(i);
    if (!dim->has_dim_value() && !dim->has_dim_param() && dims[i].has_dim_param()) *dim = dims[i];
  }
}

/// Of a dense or sparse tensor. ONNX's inference reads negative dims as indices.
template <class Tensor>
TypeProto type_of(int32_t dtype, const Tensor& tensor) {
  TypeProto type;
  type.mutable_tensor_type()->set_elem_type(dtype);
  auto* shape = type.mutable_tensor_type()->mutable_shape();
  for (const int64_t d : tensor.dims()) shape->add_dim()->set_dim_value(d);
  drop_empty_dims(&type);
  return type;
}

/// The schemas of the default domain are ours to make; of others ONNX's own registry knows some.
const onnx::OpSchema* schema_of(const NodeProto& node, const OnnxFile& onnx) {
  const auto opset = onnx.opsets.find(node.domain());
  if (opset == onnx.opsets.end()) return nullptr;
  return schema_registry().GetSchema(node.op_type(), opset->second, node.domain());
}

void Inference::constants(const GraphProto& graph, Scope* scope) {
  for (const auto& tensor : graph.initializer()) {
    (*scope->types)[tensor.name()] = type_of(tensor.data_type(), tensor);
    if (tensor.data_location() != TensorProto::EXTERNAL) scope->constants[tensor.name()] = &tensor;
  }
  for (const auto& tensor : graph.sparse_initializer()) {
    (*scope->types)[tensor.values().name()] = type_of(tensor.values().data_type(), tensor);
    scope->sparse[tensor.values().name()] = &tensor;
  }
}

void Inference::constant_node(const NodeProto& node, Scope* scope) {
  if (node.op_type() != "Constant" || !node.domain().empty() || node.output_size() != 1) return;
  for (const auto& attribute : node.attribute()) {
    if (attribute.name() == "value" && attribute.has_t()) {
      if (attribute.t().data_location() != TensorProto::EXTERNAL) scope->constants[node.output(0)] = &attribute.t();
    } else if (attribute.name() == "value_int" || attribute.name() == "value_ints") {
      TensorProto& made = scope->made.emplace_back();
      made.set_data_type(TensorProto::INT64);
      if (attribute.name() == "value_int") {
        made.add_int64_data(attribute.i());
      } else {
        made.add_dims(attribute.ints_size());
        *made.mutable_int64_data() = attribute.ints();
      }
      scope->constants[node.output(0)] = &made;
    }
  }
}

/// Calls f; an exception means that something is unknown.
template <class F>
bool attempt(F f) {
  try {
    f();
    return true;
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception&) {
    return false;
  }
}

/// Whether the length of an operand is the number of axes: in a damaged model it could exhaust memory.
bool has_too_many_axes(const NodeView& node) {
  if (node.op_type() != "Expand" && node.op_type() != "ConstantOfShape" && node.op_type() != "Reshape") return false;
  const size_t count = node.operand_count();
  const TypeProto* sizes = count == 0 ? nullptr : node.type(count - 1);
  if (!sizes || !sizes->has_tensor_type()) return false;
  const auto& shape = sizes->tensor_type().shape();
  return shape.dim_size() == 1 && shape.dim(0).dim_value() > kMostAxes;
}

void Inference::node(const NodeProto& node, const TypesByName& declared, Scope* scope) {
  Inferred results;
  for (int i = 0; i < node.output_size(); ++i) results.types.Add();
  results.elements.resize(static_cast<size_t>(node.output_size()));
  const onnx::OpSchema* schema = schema_of(node, onnx_);
  const FileNode view(this, node, *scope);
  NodeInference context(view, &results.types);
  const bool inferred = attempt([&] {
    if (!schema || has_too_many_axes(view)) return;
    if (schema->has_type_and_shape_inference_function()) {
      schema->GetTypeAndShapeInferenceFunction()(context);
    } else if (schema->HasFunction()) {
      const auto opset = onnx_.opsets.find(node.domain());
      const auto* body = schema->GetFunction(opset->second);
      if (body) onnx::shape_inference::InferShapeForFunctionNode(*body, &schema_registry(), context);
    }
  });
  // Bodies that inference did not get to.
  for (const auto& attribute : node.attribute()) {
    if (attribute.has_g() && !types_.count(&attribute.g())) graph(attribute.g(), scope, nullptr);
    for (const auto& body : attribute.graphs()) graph(body, scope, nullptr);
  }
  for (int i = 0; i < node.output_size(); ++i) {
    if (node.output(i).empty()) continue;
    TypeProto& type = results.types[i];
    drop_empty_dims(&type);
    const auto declaration = declared.find(node.output(i));
    if (declaration != declared.end()) adopt_declared(declaration->second, &type);
    if (is_set(type)) (*scope->types)[node.output(i)] = type;
  }
  constant_node(node, scope);
  if (!inferred || !schema || !schema->has_data_propagation_function()) return;
  NodePropagation propagation(view, &results);
  if (!attempt([&] { schema->GetDataPropagationFunction()(propagation); })) return;
  for (int i = 0; i < node.output_size(); ++i) {
    if (auto& known = results.elements[static_cast<size_t>(i)]) scope->elements[node.output(i)] = std::move(known);
  }
}

void Inference::graph(const GraphProto& graph, const Scope* outer, const std::vector<const TypeProto*>* inputs) {
  TypesByName& types = types_[&graph];
  types.clear();  // a loop may be inferred more than once
  Scope scope;
  scope.outer = outer;
  scope.types = &types;
  for (int i = 0; i < graph.input_size(); ++i) {
    const auto at = static_cast<size_t>(i);
    // Sizes that a body declares may hold for the first iteration only.
    const TypeProto* given = inputs && at < inputs->size() ? (*inputs)[at] : nullptr;
    TypeProto type = given && is_set(*given) ? *given : graph.input(i).type();
    drop_empty_dims(&type);
    if (is_set(type)) types[graph.input(i).name()] = std::move(type);
  }
  constants(graph, &scope);
  TypesByName declared;
  for (const auto& value : graph.value_info()) declared[value.name()] = value.type();
  for (const auto& value : graph.output()) declared[value.name()] = value.type();
  for (const auto& n : graph.node()) node(n, declared, &scope);
}

}  // namespace

GraphTypes infer_types(const OnnxFile& onnx) {
  GraphTypes types;
  Inference(onnx, &types).graph(onnx.model.graph(), nullptr, nullptr);
  return types;
}

}  // namespace fluid2onnx
