#include "runtime/onnx/graph/infer.h"

#include <onnx/defs/data_type_utils.h>
#include <onnx/shape_inference/implementation.h>

#include <algorithm>
#include <exception>
#include <memory>
#include <utility>

#include "runtime/onnx/graph/attributes.h"
#include "runtime/onnx/graph/node_inference.h"
#include "runtime/onnx/graph/schema_registry.h"

namespace fluid2onnx {
namespace {

using onnx::AttributeProto;
using onnx::TensorProto;
using onnx::TensorShapeProto;
using onnx::TypeProto;

const TypeProto* known_type(const Model& model, const Node& node, size_t i) {
  if (i >= node.inputs.size() || !node.inputs[i]) return nullptr;
  const TypeProto& type = model[node.inputs[i]].type();
  return type.value_case() == TypeProto::VALUE_NOT_SET ? nullptr : &type;
}

/// Bodies were inferred when they were emitted.
class BodyInferencer : public onnx::GraphInferencer {
 public:
  BodyInferencer(const Model& model, GraphId graph) : model_(model), graph_(graph) {}
  std::vector<const TypeProto*> doInferencing(const std::vector<const TypeProto*>&,
                                              const std::vector<const TensorProto*>&) override {
    std::vector<const TypeProto*> types;
    for (const Value v : model_.graph(graph_).outputs) types.push_back(&model_[v].type());
    return types;
  }

 private:
  const Model& model_;
  GraphId graph_;
};

class ModelNode : public NodeView {
 public:
  ModelNode(const Model& model, const Node& node) : model_(model), node_(node) {}

  const std::string& op_type() const override { return node_.op_type; }
  const AttributeProto* attribute(const std::string& name) const override { return find_attribute(node_, name); }
  size_t operand_count() const override { return node_.inputs.size(); }
  bool has_operand(size_t i) const override { return i < node_.inputs.size() && node_.inputs[i]; }
  bool has_result(size_t) const override { return true; }
  const TypeProto* type(size_t i) const override { return known_type(model_, node_, i); }
  const TensorProto* constant(size_t i) const override {
    return has_operand(i) ? model_.small_proto(node_.inputs[i]) : nullptr;
  }
  const TensorShapeProto* elements(size_t i) const override {
    return has_operand(i) ? model_[node_.inputs[i]].elements.get() : nullptr;
  }
  bool is_constant(size_t i, std::unique_ptr<TensorShapeProto>* ints) const override {
    if (!has_operand(i) || !model_[node_.inputs[i]].constant) return false;
    const Tensor& t = *model_[node_.inputs[i]].constant;
    if (t.rank() > 1 || t.count() > kMostElements) return true;
    if (t.dtype() != Dtype::int64 && t.dtype() != Dtype::int32) return true;
    Ints elements;
    t.as_ints(&elements);
    *ints = elements_of(elements);
    return true;
  }
  std::unique_ptr<onnx::GraphInferencer> body(const std::string& attribute) const override {
    for (const Body& body : node_.bodies) {
      if (body.attribute == attribute) return std::make_unique<BodyInferencer>(model_, body.graph);
    }
    return nullptr;
  }

 private:
  const Model& model_;
  const Node& node_;
};

/// Results that share a type variable with an operand, or can have one type only, have that type.
void fill_types(const Model& model, const Schema& schema, const Node& node, Types* types) {
  for (int i = 0; i < types->size(); ++i) {
    TypeProto& type = (*types)[i];
    const SchemaParam* param = schema.output(static_cast<size_t>(i));
    if (!param || !param->tensors_only) continue;
    if (type.has_tensor_type() && type.tensor_type().elem_type() != 0) continue;
    Dtype dtype = param->dtypes.only();
    for (size_t j = 0; dtype == Dtype::undefined && param->variable >= 0 && j < node.inputs.size(); ++j) {
      const SchemaParam* in = schema.input(j);
      if (node.inputs[j] && in && in->variable == param->variable) dtype = model.dtype(node.inputs[j]);
    }
    if (dtype != Dtype::undefined) type.mutable_tensor_type()->set_elem_type(static_cast<int32_t>(dtype));
  }
}

/// Corrects ONNX's inference of Slice 10, which keeps the name of a sliced dynamic axis.
void correct_slice(const Model& model, const Schema& schema, const Node& node, TypeProto* type) {
  constexpr int kSliceByOperands = 10;
  if (node.op_type != "Slice" || schema.onnx->since_version() != kSliceByOperands) return;
  if (!type->has_tensor_type() || !type->tensor_type().has_shape()) return;
  Ints axes;
  const Value operand = node.inputs.size() > 3 ? node.inputs[3] : Value();
  const std::shared_ptr<const Tensor> constant = operand ? model[operand].constant : nullptr;
  if (constant) constant->as_ints(&axes);
  auto* shape = type->mutable_tensor_type()->mutable_shape();
  for (int i = 0; i < shape->dim_size(); ++i) {
    const auto is_axis = [&](int64_t axis) { return axis == i || axis + shape->dim_size() == i; };
    const bool cut = axes.empty() || std::any_of(axes.begin(), axes.end(), is_axis);
    if (cut && shape->dim(i).has_dim_param()) shape->mutable_dim(i)->Clear();
  }
}

/// The shape of a vector whose length is known, and may be a rank: a damaged one would take all memory.
bool is_list_of_sizes(const TensorShapeProto* shape) {
  return shape && shape->dim_size() == 1 && shape->dim(0).has_dim_value() && shape->dim(0).dim_value() <= kMostAxes;
}

/// A grid has an axis for each size, and theta is for two dimensions or three. ONNX's inference may say otherwise where
/// the sizes are known only at run time.
void correct_grid(const Model& model, const Node& node, TypeProto* type) {
  if (node.op_type != "AffineGrid") return;
  const auto* theta = model.shape(node.inputs[0]);
  const auto* sizes = model.shape(node.inputs[1]);
  int64_t rank = -1;
  if (is_list_of_sizes(sizes)) {
    rank = sizes->dim(0).dim_value();
  } else if (theta && theta->dim_size() == 3 && theta->dim(1).has_dim_value()) {
    rank = theta->dim(1).dim_value() + 2;
  }
  auto* tensor = type->mutable_tensor_type();
  if (tensor->has_shape() && tensor->shape().dim_size() == rank) return;
  tensor->clear_shape();
  for (int64_t i = 0; i < rank; ++i) tensor->mutable_shape()->add_dim();
}

/// An operand of unknown rank has as many axes as the permutation.
void fill_exchanged(const Node& node, TypeProto* type) {
  if (node.op_type != "Transpose" || !type->has_tensor_type() || type->tensor_type().has_shape()) return;
  const AttributeProto* order = find_attribute(node, "perm");
  if (!order) return;
  auto* shape = type->mutable_tensor_type()->mutable_shape();
  for (int i = 0; i < order->ints_size(); ++i) shape->add_dim();
}

/// Where the sizes of a result are known only at run time, their number may be known: ONNX's inference forgets it.
void fill_rank(const Model& model, const Node& node, Types* types) {
  const bool expand = node.op_type == "Expand";
  const bool creates = node.op_type == "ConstantOfShape";
  if (!expand && !creates && node.op_type != "Reshape") return;
  TypeProto& type = types->at(0);
  const size_t at = creates ? 0 : 1;
  if (!type.has_tensor_type() || type.tensor_type().has_shape() || at >= node.inputs.size() || !node.inputs[at]) return;
  const auto* sizes = model.shape(node.inputs[at]);
  if (!is_list_of_sizes(sizes)) return;
  int64_t rank = sizes->dim(0).dim_value();
  if (expand) {
    const auto* shape = model.shape(node.inputs[0]);
    if (!shape) return;
    rank = std::max<int64_t>(rank, shape->dim_size());
  }
  auto* shape = type.mutable_tensor_type()->mutable_shape();
  for (int64_t i = 0; i < rank; ++i) shape->add_dim();
}

/// Older opsets infer nothing from a shape operand that is no constant: its length is the rank, and known sizes are
/// sizes.
void fill_shape(const Model& model, const Node& node, TypeProto* type) {
  const size_t at = node.op_type == "ConstantOfShape" ? 0 : 1;
  if ((at == 1 && node.op_type != "Reshape") || at >= node.inputs.size() || !node.inputs[at]) return;
  if (!type->has_tensor_type() || type->tensor_type().has_shape()) return;
  const ValueInfo& operand = model[node.inputs[at]];
  TensorShapeProto shape;
  if (operand.elements) {
    for (const auto& element : operand.elements->dim()) {
      auto* dim = shape.add_dim();
      if (element.has_dim_param() || (element.has_dim_value() && element.dim_value() > 0)) *dim = element;
    }
  } else {
    const auto* length = model.shape(node.inputs[at]);
    if (!is_list_of_sizes(length)) return;
    for (int64_t n = 0; n < length->dim(0).dim_value(); ++n) shape.add_dim();
  }
  *type->mutable_tensor_type()->mutable_shape() = std::move(shape);
}

/// NonMaxSuppression 10 has no inference: rows of image, class and box.
void fill_suppressed(const Node& node, TypeProto* type) {
  if (node.op_type != "NonMaxSuppression" || !type->has_tensor_type() || type->tensor_type().has_shape()) return;
  type->mutable_tensor_type()->mutable_shape()->add_dim();
  type->mutable_tensor_type()->mutable_shape()->add_dim()->set_dim_value(3);
}

/// Compress 9 has none either: other axes than the one that is picked from are the operand's.
void fill_compressed(const Model& model, const Node& node, TypeProto* type) {
  if (node.op_type != "Compress" || !type->has_tensor_type() || type->tensor_type().has_shape()) return;
  const AttributeProto* axis = find_attribute(node, "axis");
  const auto* shape = model.shape(node.inputs[0]);
  if (!axis) type->mutable_tensor_type()->mutable_shape()->add_dim();
  if (!axis || !shape) return;
  const int64_t at = axis->i() < 0 ? axis->i() + shape->dim_size() : axis->i();
  auto* picked = type->mutable_tensor_type()->mutable_shape();
  *picked = *shape;
  if (at >= 0 && at < picked->dim_size()) picked->mutable_dim(static_cast<int>(at))->Clear();
}

/// The body of an operator that ONNX defines as a function of others, as this opset has it.
std::shared_ptr<const onnx::FunctionProto> function_body(const Model& model, const Schema& schema, const Node& node) {
  const onnx::OpSchema& s = *schema.onnx;
  if (s.HasFunction()) {
    if (const auto* body = s.GetFunction(model.opset())) return {body, [](const onnx::FunctionProto*) {}};
  }
  if (!s.HasContextDependentFunction()) return nullptr;
  onnx::NodeProto proto;
  proto.set_op_type(node.op_type);
  std::vector<TypeProto> types;
  for (const Value v : node.inputs) {
    proto.add_input(v ? model[v].name : "");
    types.push_back(v ? model[v].type() : TypeProto());
  }
  for (size_t i = 0; i < node.outputs.size(); ++i) proto.add_output("out" + std::to_string(i));
  for (const auto& a : node.attributes) *proto.add_attribute() = a;
  const onnx::FunctionBodyBuildContextImpl context(proto, types);
  auto body = std::make_shared<onnx::FunctionProto>();
  if (!s.BuildContextDependentFunction(context, *body, model.opset())) return nullptr;
  return body;
}

/// A size below 0 that a damaged attribute or shape leads to: the final check would reject it, without a place.
std::string negative_size(const TypeProto& type) {
  if (!type.has_tensor_type() || !type.tensor_type().has_shape()) return "";
  for (const auto& d : type.tensor_type().shape().dim()) {
    if (d.has_dim_value() && d.dim_value() < 0)
      return "the result would have a size of " + std::to_string(d.dim_value());
  }
  return "";
}

}  // namespace

void drop_empty_dims(TypeProto* type) {
  if (!type->has_tensor_type() || !type->tensor_type().has_shape()) return;
  for (auto& d : *type->mutable_tensor_type()->mutable_shape()->mutable_dim()) {
    if ((d.has_dim_param() && d.dim_param().empty()) || (d.has_dim_value() && d.dim_value() < 0)) d.Clear();
  }
}

Inferred infer(const Model& model, const Schema& schema, const Node& node, google::protobuf::Arena* arena) {
  Inferred result{Types(arena), {}, {}};
  for (size_t i = 0; i < node.outputs.size(); ++i) result.types.Add();
  result.elements.resize(node.outputs.size());
  const ModelNode view(model, node);
  NodeInference context(view, &result.types);
  try {
    if (schema.infer) {
      schema.infer(context);
    } else if (const auto body = function_body(model, schema, node)) {
      // As strict as the check of the whole model: errors must be reported here, where the location is known.
      const onnx::ShapeInferenceOptions strict(/*check_type_val=*/false, /*strict_mode_val=*/1);
      onnx::shape_inference::InferShapeForFunctionNode(*body, &schema_registry(), context, strict);
    }
  } catch (const std::exception& e) {
    result.error = e.what();
  }
  fill_types(model, schema, node, &result.types);
  if (result.error.empty() && !result.types.empty()) {
    TypeProto& first = result.types[0];
    correct_slice(model, schema, node, &first);
    correct_grid(model, node, &first);
    fill_shape(model, node, &first);
    fill_compressed(model, node, &first);
    fill_suppressed(node, &first);
    fill_exchanged(node, &first);
    fill_rank(model, node, &result.types);
  }
  for (auto& type : result.types) {
    if (result.error.empty()) result.error = negative_size(type);
    drop_empty_dims(&type);
  }
  if (schema.propagate && result.error.empty()) {
    NodePropagation propagation(view, &result);
    try {
      schema.propagate(propagation);
    } catch (const std::exception&) {
      // Propagation only adds knowledge. What it objects to (a Gather beyond the end) the runtime decides.
      for (auto& e : result.elements) e.reset();
    }
  }
  return result;
}

bool generalise(TypeProto* type, const TypeProto& other) {
  if (type->value_case() != other.value_case()) return false;
  if (type->has_sequence_type()) {
    if ((type->denotation() == kNoTensorsYet) != (other.denotation() == kNoTensorsYet)) {
      TypeProto filled = type->denotation() == kNoTensorsYet ? other : *type;
      const auto elements = [](const TypeProto& t) { return t.sequence_type().elem_type().tensor_type().elem_type(); };
      if (elements(*type) != elements(other)) return false;
      *type = std::move(filled);
      return true;
    }
    return generalise(type->mutable_sequence_type()->mutable_elem_type(), other.sequence_type().elem_type());
  }
  if (!type->has_tensor_type()) return true;
  auto* mine = type->mutable_tensor_type();
  const auto& theirs = other.tensor_type();
  if (mine->elem_type() != theirs.elem_type()) return false;
  if (!mine->has_shape()) return true;
  if (!theirs.has_shape() || theirs.shape().dim_size() != mine->shape().dim_size()) {
    mine->clear_shape();
    return true;
  }
  for (int i = 0; i < mine->shape().dim_size(); ++i) {
    auto* d = mine->mutable_shape()->mutable_dim(i);
    const auto& e = theirs.shape().dim(i);
    const bool same = d->has_dim_value()   ? e.has_dim_value() && d->dim_value() == e.dim_value()
                      : d->has_dim_param() ? e.has_dim_param() && d->dim_param() == e.dim_param()
                                           : true;
    if (!same) d->Clear();
  }
  return true;
}

bool same_type(const TypeProto& a, const TypeProto& b) {
  if (a.value_case() != b.value_case()) return false;
  if (a.denotation() != b.denotation()) return false;
  if (a.has_sequence_type()) return same_type(a.sequence_type().elem_type(), b.sequence_type().elem_type());
  if (!a.has_tensor_type()) return true;
  const auto& x = a.tensor_type();
  const auto& y = b.tensor_type();
  if (x.elem_type() != y.elem_type() || x.has_shape() != y.has_shape()) return false;
  if (x.shape().dim_size() != y.shape().dim_size()) return false;
  for (int i = 0; i < x.shape().dim_size(); ++i) {
    const auto& d = x.shape().dim(i);
    const auto& e = y.shape().dim(i);
    if (d.value_case() != e.value_case() || d.dim_value() != e.dim_value() || d.dim_param() != e.dim_param()) {
      return false;
    }
  }
  return true;
}

}  // namespace fluid2onnx
