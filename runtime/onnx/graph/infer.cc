#include "runtime/onnx/graph/infer.h"

#include <onnx/defs/data_type_utils.h>
#include <onnx/shape_inference/implementation.h>

#include <algorithm>
#include <exception>
#include <memory>
#include <new>
#include <numeric>
#include <optional>
#include <string_view>
#include <unordered_map>
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

Value operand(const Node& node, size_t i) { return i < node.inputs.size() ? node.inputs[i] : Value(); }

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

TensorShapeProto unknown_dims(int64_t rank) {
  TensorShapeProto shape;
  for (int64_t i = 0; i < rank; ++i) shape.add_dim();
  return shape;
}

std::optional<int64_t> rank_from(const Model& model, Value sizes) { return rank_of_sizes(model.shape(sizes)); }

/// True if the axis `i` is one of `axes`, which can count from the end.
bool is_one_of(const Ints& axes, int i, int rank) {
  return std::any_of(axes.begin(), axes.end(), [&](int64_t axis) { return axis == i || axis + rank == i; });
}

/// Copies the operand's dims of all axes but these, where inference does not know them.
void keep_other_dims(const Model& model, const Node& node, const Ints& axes, TypeProto* type) {
  const auto* before = model.shape(operand(node, 0));
  if (!before || !type->tensor_type().has_shape() || type->tensor_type().shape().dim_size() != before->dim_size())
    return;
  auto* shape = type->mutable_tensor_type()->mutable_shape();
  for (int i = 0; i < shape->dim_size(); ++i) {
    const bool known = shape->dim(i).has_dim_value() || shape->dim(i).has_dim_param();
    if (!known && !is_one_of(axes, i, shape->dim_size())) *shape->mutable_dim(i) = before->dim(i);
  }
}

/// Inference knows no dims if bounds are not constant. That of Slice 10 keeps the name of a sliced dynamic axis.
void correct_slice(const Model& model, const Node& node, TypeProto* type) {
  constexpr int kSliceByOperands = 10;
  if (model.opset() < kSliceByOperands || !type->tensor_type().has_shape()) return;
  auto axes = model.constant_ints(operand(node, 3));
  if (const auto count = rank_from(model, operand(node, 1)); !operand(node, 3) && count) {
    axes.emplace(static_cast<size_t>(*count));
    std::iota(axes->begin(), axes->end(), 0);
  }
  auto* shape = type->mutable_tensor_type()->mutable_shape();
  for (int i = 0; model.opset() == kSliceByOperands && i < shape->dim_size(); ++i) {
    const bool cut = !axes || is_one_of(*axes, i, shape->dim_size());
    if (cut && shape->dim(i).has_dim_param()) shape->mutable_dim(i)->Clear();
  }
  if (axes) keep_other_dims(model, node, *axes, type);
}

/// Inference knows no dims if K is not constant.
void correct_top_k(const Model& model, const Node& node, TypeProto* type) {
  keep_other_dims(model, node, {int_attribute(node, "axis", -1)}, type);
}

/// A grid has an axis for each size, and theta is for two dimensions or three. Inference may have another rank if the
/// sizes are known only at run time.
void correct_grid(const Model& model, const Node& node, TypeProto* type) {
  const auto* theta = model.shape(operand(node, 0));
  auto rank = rank_from(model, operand(node, 1));
  if (!rank && theta && theta->dim_size() == 3 && theta->dim(1).has_dim_value()) rank = theta->dim(1).dim_value() + 2;
  auto* tensor = type->mutable_tensor_type();
  if (tensor->has_shape() && tensor->shape().dim_size() == rank) return;
  tensor->clear_shape();
  if (rank) *tensor->mutable_shape() = unknown_dims(*rank);
}

using Shape = std::optional<TensorShapeProto>;

/// Of a result whose sizes are an operand: known sizes are dims. Older opsets infer this from constants only.
Shape shape_from(const Model& model, Value sizes) {
  if (const auto& elements = model[sizes].elements) {
    TensorShapeProto shape;
    for (const auto& element : elements->dim()) {
      auto* dim = shape.add_dim();
      if (element.has_dim_param() || (element.has_dim_value() && element.dim_value() > 0)) *dim = element;
    }
    return shape;
  }
  const auto rank = rank_from(model, sizes);
  return rank ? Shape(unknown_dims(*rank)) : std::nullopt;
}

Shape infer_reshape(const Model& model, const Node& node) { return shape_from(model, operand(node, 1)); }
Shape infer_constant_of_shape(const Model& model, const Node& node) { return shape_from(model, operand(node, 0)); }

Shape infer_expand_rank(const Model& model, const Node& node) {
  const auto* shape = model.shape(operand(node, 0));
  const auto rank = rank_from(model, operand(node, 1));
  return shape && rank ? Shape(unknown_dims(std::max<int64_t>(*rank, shape->dim_size()))) : std::nullopt;
}

/// An operand of unknown rank has as many axes as the permutation.
Shape infer_transpose_rank(const Model&, const Node& node) {
  const AttributeProto* order = find_attribute(node, "perm");
  return order ? Shape(unknown_dims(order->ints_size())) : std::nullopt;
}

/// Version 10 has no inference. Each row has an image, a class and a box.
Shape infer_nms_shape(const Model&, const Node&) {
  TensorShapeProto shape = unknown_dims(2);
  shape.mutable_dim(1)->set_dim_value(3);
  return shape;
}

/// Version 9 has no inference. Axes other than the selected one are the operand's.
Shape infer_compress(const Model& model, const Node& node) {
  const AttributeProto* axis = find_attribute(node, "axis");
  const auto* shape = model.shape(operand(node, 0));
  if (!axis) return unknown_dims(1);
  if (!shape) return std::nullopt;
  TensorShapeProto result = *shape;
  const int64_t at = axis->i() < 0 ? axis->i() + shape->dim_size() : axis->i();
  if (at >= 0 && at < shape->dim_size()) result.mutable_dim(static_cast<int>(at))->Clear();
  return result;
}

/// Corrects the type of a result, or completes it if inference does not know the rank. Of the operators below, only
/// TopK has several results.
void correct(const Model& model, const Node& node, TypeProto* type) {
  using Correct = void (*)(const Model&, const Node&, TypeProto*);
  using Complete = Shape (*)(const Model&, const Node&);
  static const auto* corrections = new std::unordered_map<std::string_view, Correct>{
      {"AffineGrid", correct_grid}, {"Slice", correct_slice}, {"TopK", correct_top_k}};
  static const auto* completions = new std::unordered_map<std::string_view, Complete>{
      {"Compress", infer_compress},  {"ConstantOfShape", infer_constant_of_shape},
      {"Expand", infer_expand_rank}, {"NonMaxSuppression", infer_nms_shape},
      {"Reshape", infer_reshape},    {"Transpose", infer_transpose_rank}};
  if (const auto found = corrections->find(node.op_type); found != corrections->end()) {
    found->second(model, node, type);
  }
  if (!type->has_tensor_type() || type->tensor_type().has_shape()) return;
  const auto found = completions->find(node.op_type);
  const Shape shape = found == completions->end() ? std::nullopt : found->second(model, node);
  if (shape) *type->mutable_tensor_type()->mutable_shape() = *shape;
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

/// Before opset 10, inference does not check the axes of Slice.
std::string wrong_axis(const Model& model, const Node& node) {
  const AttributeProto* axes = node.op_type == "Slice" ? find_attribute(node, "axes") : nullptr;
  const auto* shape = axes ? model.shape(operand(node, 0)) : nullptr;
  if (!shape) return "";
  const int64_t rank = shape->dim_size();
  for (const int64_t axis : axes->ints()) {
    if (axis < -rank || axis >= rank) return "axis " + std::to_string(axis) + " is out of range";
  }
  return "";
}

}  // namespace

const AttributeProto* ModelNode::attribute(const std::string& name) const { return find_attribute(node_, name); }

const TypeProto* ModelNode::type(size_t i) const {
  if (!has_operand(i)) return nullptr;
  const TypeProto& type = model_[node_.inputs[i]].type();
  return type.value_case() == TypeProto::VALUE_NOT_SET ? nullptr : &type;
}

bool ModelNode::is_constant(size_t i, std::unique_ptr<TensorShapeProto>* ints) const {
  if (!has_operand(i) || !model_[node_.inputs[i]].constant) return false;
  const Tensor& t = *model_[node_.inputs[i]].constant;
  if (t.rank() > 1 || t.count() > kMostElements) return true;
  if (t.dtype() != Dtype::int64 && t.dtype() != Dtype::int32) return true;
  *ints = elements_of(*t.as_ints());
  return true;
}

std::unique_ptr<onnx::GraphInferencer> ModelNode::body(const std::string& attribute) const {
  for (const Body& body : node_.bodies) {
    if (body.attribute == attribute) return std::make_unique<BodyInferencer>(model_, body.graph);
  }
  return nullptr;
}

void drop_empty_dims(TypeProto* type) {
  if (!type->has_tensor_type() || !type->tensor_type().has_shape()) return;
  for (auto& d : *type->mutable_tensor_type()->mutable_shape()->mutable_dim()) {
    if ((d.has_dim_param() && d.dim_param().empty()) || (d.has_dim_value() && d.dim_value() < 0)) d.Clear();
  }
}

bool is_einsum_equation(std::string_view text) {
  for (bool arrow = false; !text.empty();) {
    const char c = text.front();
    const bool starts_arrow = !arrow && text.starts_with("->"), starts_ellipsis = text.starts_with("...");
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == ',' || c == ' ';
    if (!starts_arrow && !starts_ellipsis && !plain) return false;
    arrow = arrow || starts_arrow;
    text.remove_prefix(starts_arrow ? 2 : starts_ellipsis ? 3 : 1);
  }
  return true;
}

const onnx::AttributeProto* NodeInference::getAttribute(const std::string& name) const {
  const onnx::AttributeProto* found = node_.attribute(name);
  if (found && name == "equation" && node_.op_type() == "Einsum" && !is_einsum_equation(found->s())) {
    throw std::invalid_argument(kEquationIsInvalid);
  }
  return found;
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
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception& e) {
    result.error = e.what();
  }
  if (result.error.empty()) result.error = wrong_axis(model, node);
  fill_types(model, schema, node, &result.types);
  for (int i = 0; result.error.empty() && i < result.types.size(); ++i) correct(model, node, &result.types[i]);
  for (auto& type : result.types) {
    if (result.error.empty()) result.error = negative_size(type);
    drop_empty_dims(&type);
  }
  if (schema.propagate && result.error.empty()) {
    NodePropagation propagation(view, &result);
    try {
      schema.propagate(propagation);
    } catch (const std::bad_alloc&) {
      throw;
    } catch (const std::exception&) {
      // Propagation only adds knowledge. What it objects to (a Gather beyond the end) the runtime decides.
      for (auto& e : result.elements) e.reset();
    }
  }
  return result;
}

bool merge_types(TypeProto* type, const TypeProto& other) {
  if (type->value_case() != other.value_case()) return false;
  if (type->has_sequence_type()) {
    if ((type->denotation() == kNoTensorsYet) != (other.denotation() == kNoTensorsYet)) {
      TypeProto filled = type->denotation() == kNoTensorsYet ? other : *type;
      const auto elements = [](const TypeProto& t) { return t.sequence_type().elem_type().tensor_type().elem_type(); };
      if (elements(*type) != elements(other)) return false;
      type->CopyFrom(filled);  // a move to an arena ends the process without memory
      return true;
    }
    return merge_types(type->mutable_sequence_type()->mutable_elem_type(), other.sequence_type().elem_type());
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
