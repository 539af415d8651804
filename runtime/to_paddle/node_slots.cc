#include "runtime/to_paddle/node_slots.h"

#include "runtime/support/refused.h"

namespace fluid2onnx {

NodeSlots::NodeSlots(const OnnxNode& node, Emitter& emitter, TensorOf tensor_of)
    : node_(node), emitter_(emitter), tensor_of_(std::move(tensor_of)), type_(node.op->converter->op) {}

const onnx::AttributeProto* NodeSlots::attribute(std::string_view name) const {
  const auto find = [&](std::string_view wanted) -> const onnx::AttributeProto* {
    for (const onnx::AttributeProto* a : node_.attributes) {
      if (a->name() == wanted) return a;
    }
    return nullptr;
  };
  if (const auto* own = find(name)) return own;
  for (const auto& [newest, old] : node_.op->older) {
    if (newest == name) {
      if (const auto* found = find(old)) return found;
    }
  }
  return nullptr;
}

Value NodeSlots::constant_of(const onnx::AttributeProto& attribute) const {
  using A = onnx::AttributeProto;
  switch (attribute.type()) {
    case A::TENSOR: return emitter_.constant(tensor_of_(attribute.t()));
    case A::INTS: return emitter_.constant(Tensor::int64s(Ints(attribute.ints().begin(), attribute.ints().end())));
    case A::INT: return emitter_.constant(Tensor::int64_scalar(attribute.i()));
    case A::FLOATS:
      return emitter_.constant(Tensor::of<float>(Dtype::float32, {attribute.floats_size()},
                                                 {attribute.floats().begin(), attribute.floats().end()}));
    case A::FLOAT: return emitter_.constant(Tensor::of<float>(Dtype::float32, {}, {attribute.f()}));
    default: throw Refused(E_ATTR_KIND, "attribute '" + attribute.name() + "' is neither a number nor a tensor");
  }
}

Values NodeSlots::inputs(std::string_view slot) const {
  const std::vector<FluidSlot>& slots = node_.op->inputs;
  for (size_t i = 0; i < slots.size(); ++i) {
    if (slots[i].name != slot) continue;
    if (slots[i].list) {
      return i < node_.inputs.size() ? Values(node_.inputs.begin() + static_cast<std::ptrdiff_t>(i), node_.inputs.end())
                                     : Values();
    }
    if (i < node_.inputs.size() && node_.inputs[i]) return {node_.inputs[i]};
    break;
  }
  // What was an attribute once, or is a tensor in an attribute.
  if (const auto* given = attribute(slot)) return {constant_of(*given)};
  return {};
}

Strings NodeSlots::outputs(std::string_view slot) const {
  const std::vector<FluidSlot>& slots = node_.op->outputs;
  for (size_t i = 0; i < slots.size(); ++i) {
    if (slots[i].name != slot || i >= node_.outputs.size()) continue;
    // Values get the names of variables later.
    const size_t count = slots[i].list ? node_.outputs.size() - i : 1;
    Strings names(count);
    return names;
  }
  return {};
}

bool NodeSlots::used(std::string_view slot) const {
  const std::vector<FluidSlot>& slots = node_.op->outputs;
  for (size_t i = 0; i < slots.size(); ++i) {
    if (slots[i].name == slot) return i < node_.outputs.size() && !node_.outputs[i].empty();
  }
  return false;
}

std::optional<bool> NodeSlots::get_bool(std::string_view name) const {
  const auto number = get_int(name);
  return number ? std::optional(*number != 0) : std::nullopt;
}
std::optional<int64_t> NodeSlots::get_int(std::string_view name) const {
  const auto* a = attribute(name);
  return a ? std::optional(a->i()) : std::nullopt;
}
std::optional<double> NodeSlots::get_float(std::string_view name) const {
  const auto* a = attribute(name);
  return a ? std::optional<double>(a->f()) : std::nullopt;
}
std::optional<std::string> NodeSlots::get_string(std::string_view name) const {
  const auto* a = attribute(name);
  return a ? std::optional(a->s()) : std::nullopt;
}
std::optional<Dtype> NodeSlots::get_dtype(std::string_view name) const {
  const auto number = get_int(name);
  return number ? std::optional(static_cast<Dtype>(*number)) : std::nullopt;
}
std::optional<Ints> NodeSlots::get_ints(std::string_view name) const {
  const auto* a = attribute(name);
  return a ? std::optional(Ints(a->ints().begin(), a->ints().end())) : std::nullopt;
}
std::optional<Floats> NodeSlots::get_floats(std::string_view name) const {
  const auto* a = attribute(name);
  return a ? std::optional(Floats(a->floats().begin(), a->floats().end())) : std::nullopt;
}
std::optional<Strings> NodeSlots::get_strings(std::string_view name) const {
  const auto* a = attribute(name);
  return a ? std::optional(Strings(a->strings().begin(), a->strings().end())) : std::nullopt;
}

}  // namespace fluid2onnx
