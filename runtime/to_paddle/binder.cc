#include "runtime/to_paddle/binder.h"

#include "runtime/onnx/read/tensors.h"
#include "runtime/support/refused.h"

namespace fluid2onnx {

void OnnxBinder::enter(const onnx::GraphProto& graph, const Values& inputs) {
  Level level{&graph, {}, {}, {}};
  for (const onnx::TensorProto& tensor : graph.initializer()) level.initializers[tensor.name()] = &tensor;
  for (const onnx::SparseTensorProto& tensor : graph.sparse_initializer())
    level.sparse[tensor.values().name()] = &tensor;
  levels_.push_back(std::move(level));
  for (int i = 0; i < graph.input_size() && static_cast<size_t>(i) < inputs.size(); ++i) {
    bind(graph.input(i).name(), inputs[static_cast<size_t>(i)]);
  }
}

void OnnxBinder::enter(const onnx::FunctionProto& function, const Values& inputs) {
  static const onnx::GraphProto none;
  levels_.push_back({&none, {}, {}, {}});
  for (int i = 0; i < function.input_size(); ++i) {
    const auto at = static_cast<size_t>(i);
    bind(function.input(i), at < inputs.size() ? inputs[at] : Value());
  }
}

Value OnnxBinder::resolve(const std::string& name) {
  for (auto level = levels_.rbegin(); level != levels_.rend(); ++level) {
    const auto found = level->values.find(name);
    if (found != level->values.end()) return found->second;
    const auto add = [&](Tensor tensor) {
      return level->values.emplace(name, builder_.model().add_parameter(name, std::move(tensor))).first->second;
    };
    if (const auto tensor = level->initializers.find(name); tensor != level->initializers.end()) {
      return add(tensor_of(*tensor->second, onnx_));
    }
    if (const auto tensor = level->sparse.find(name); tensor != level->sparse.end()) {
      return add(tensor_of(*tensor->second, onnx_));
    }
  }
  throw Refused(E_NO_VALUE, "'" + name + "' is read before it has a value");
}

void OnnxBinder::bind(const std::string& name, Value v) {
  levels_.back().values[name] = v;
  if (v && builder_.model()[v].type().has_sequence_type()) sequence_names_[v.id].emplace_back(levels_.size(), name);
}

Value OnnxBinder::bind_placeholder(const onnx::GraphProto& graph, const std::string& name) {
  const Value v = builder_.model().new_value(name);
  take_type(graph, name, v);
  builder_.bind(builder_.new_variable(name, v), v);
  levels_.back().values[name] = v;
  return v;
}

const TypesByName* OnnxBinder::types_of(const onnx::GraphProto& graph) {
  if (!types_) types_ = infer_types(onnx_);
  const auto found = types_->find(&graph);
  return found == types_->end() ? nullptr : &found->second;
}

void OnnxBinder::take_type(const onnx::GraphProto& graph, const std::string& name, Value v) {
  Model& model = builder_.model();
  if (model[v].type().has_sequence_type() || model.shape(v)) return;
  const TypesByName* types = types_of(graph);
  const auto known = types ? types->find(name) : TypesByName::const_iterator();
  if (!types || known == types->end()) return;
  if (known->second.has_tensor_type() || model.dtype(v) == Dtype::undefined) model.set_type(v, known->second);
  builder_.declare_shape(v);
}

void OnnxBinder::forget_from(Value first) {
  for (Level& level : levels_) {
    std::erase_if(level.values, [&](const auto& entry) { return entry.second.id >= first.id; });
  }
  std::erase_if(sequence_names_, [&](const auto& entry) { return entry.first >= first.id; });
}

const OnnxBinder::Names* OnnxBinder::sequence_names(Value sequence) const {
  const auto found = sequence_names_.find(sequence.id);
  return found == sequence_names_.end() ? nullptr : &found->second;
}

}  // namespace fluid2onnx
