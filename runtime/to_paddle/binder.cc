#include "runtime/to_paddle/binder.h"

#include "runtime/onnx/read/tensors.h"
#include "runtime/support/refused.h"

namespace fluid2onnx {

void OnnxBinder::enter(const onnx::GraphProto& graph, const Values& inputs) {
  OnnxScope scope{&graph, {}, {}, {}};
  for (const onnx::TensorProto& tensor : graph.initializer()) scope.initializers[tensor.name()] = &tensor;
  for (const onnx::SparseTensorProto& tensor : graph.sparse_initializer())
    scope.sparse[tensor.values().name()] = &tensor;
  scopes_.push_back(std::move(scope));
  for (int i = 0; i < graph.input_size() && static_cast<size_t>(i) < inputs.size(); ++i) {
    bind(graph.input(i).name(), inputs[static_cast<size_t>(i)]);
  }
}

void OnnxBinder::enter(const onnx::FunctionProto& function, const Values& inputs) {
  static const onnx::GraphProto none;
  scopes_.push_back({&none, {}, {}, {}});
  for (int i = 0; i < function.input_size(); ++i) {
    const auto at = static_cast<size_t>(i);
    bind(function.input(i), at < inputs.size() ? inputs[at] : Value());
  }
}

Value OnnxBinder::operand(const std::string& name) {
  for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope) {
    const auto found = scope->values.find(name);
    if (found != scope->values.end()) return found->second;
    const auto add = [&](Tensor tensor) {
      return scope->values.emplace(name, builder_.model().add_parameter(name, std::move(tensor))).first->second;
    };
    if (const auto tensor = scope->initializers.find(name); tensor != scope->initializers.end()) {
      return add(tensor_of(*tensor->second, onnx_));
    }
    if (const auto tensor = scope->sparse.find(name); tensor != scope->sparse.end()) {
      return add(tensor_of(*tensor->second, onnx_));
    }
  }
  throw Refused(E_NO_VALUE, "'" + name + "' is read before it has a value");
}

void OnnxBinder::bind(const std::string& name, Value v) {
  scopes_.back().values[name] = v;
  if (v && builder_.model()[v].type().has_sequence_type()) sequence_names_[v.id].emplace_back(scopes_.size(), name);
}

Values OnnxBinder::bind_placeholders(const onnx::GraphProto& graph, const onnx::NodeProto& node) {
  Values placeholders;
  for (const std::string& name : node.output()) {
    if (name.empty()) continue;
    const Value v = builder_.model().new_value(name);
    take_declared_type(graph, name, v);
    builder_.bind(builder_.new_variable(name, v), v);
    scopes_.back().values[name] = v;
    placeholders.push_back(v);
  }
  return placeholders;
}

const TypesByName* OnnxBinder::types_of(const onnx::GraphProto& graph) {
  if (!types_) types_ = infer_types(onnx_);
  const auto found = types_->find(&graph);
  return found == types_->end() ? nullptr : &found->second;
}

void OnnxBinder::take_declared_type(const onnx::GraphProto& graph, const std::string& name, Value v) {
  Model& model = builder_.model();
  if (model[v].type().has_sequence_type() || model.shape(v)) return;
  const TypesByName* types = types_of(graph);
  const auto known = types ? types->find(name) : TypesByName::const_iterator();
  if (!types || known == types->end()) return;
  if (known->second.has_tensor_type() || model.dtype(v) == Dtype::undefined) model.set_type(v, known->second);
  builder_.declare_shape(v);
}

void OnnxBinder::forget_from(Value first) {
  for (OnnxScope& scope : scopes_) {
    std::erase_if(scope.values, [&](const auto& entry) { return entry.second.id >= first.id; });
  }
  std::erase_if(sequence_names_, [&](const auto& entry) { return entry.first >= first.id; });
}

const OnnxBinder::Names* OnnxBinder::sequence_names(Value sequence) const {
  const auto found = sequence_names_.find(sequence.id);
  return found == sequence_names_.end() ? nullptr : &found->second;
}

}  // namespace fluid2onnx
