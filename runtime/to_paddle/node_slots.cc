#include "runtime/to_paddle/node_slots.h"

#include "runtime/support/refused.h"

namespace fluid2onnx {

namespace {

AttributeValue value_of(const onnx::AttributeProto& a) {
  using A = onnx::AttributeProto;
  switch (a.type()) {
    case A::INT: return int64_t{a.i()};
    case A::FLOAT: return static_cast<double>(a.f());
    case A::STRING: return a.s();
    case A::INTS: return Ints(a.ints().begin(), a.ints().end());
    case A::FLOATS: return Floats(a.floats().begin(), a.floats().end());
    case A::STRINGS: return Strings(a.strings().begin(), a.strings().end());
    default: return BlockRefs();  // tensors and graphs have other readers
  }
}

}  // namespace

NodeSlots::NodeSlots(const OnnxNode& node, Emitter& emitter, TensorOf tensor_of)
    : node_(node), emitter_(emitter), tensor_of_(std::move(tensor_of)), type_(node.op->type) {
  for (const onnx::AttributeProto* a : node.attributes) attributes_.push_back({a->name(), value_of(*a)});
}

size_t NodeSlots::position(std::string_view name) const {
  const auto find = [&](std::string_view wanted) {
    size_t i = 0;
    while (i < attributes_.size() && attributes_[i].name != wanted) ++i;
    return i;
  };
  size_t found = find(name);
  for (const auto& [newest, old] : node_.op->older) {
    if (found == attributes_.size() && newest == name) found = find(old);
  }
  return found;
}

const Attribute* NodeSlots::attribute(std::string_view name) const {
  const size_t at = position(name);
  return at < attributes_.size() ? &attributes_[at] : nullptr;
}

const onnx::AttributeProto* NodeSlots::proto(std::string_view name) const {
  const size_t at = position(name);
  return at < attributes_.size() ? node_.attributes[at] : nullptr;
}

std::optional<Dtype> NodeSlots::get_dtype(std::string_view name) const {
  const Attribute* a = attribute(name);
  const auto number = a ? a->as_int() : std::nullopt;
  return number ? std::optional(static_cast<Dtype>(*number)) : std::nullopt;
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
  // An attribute in older versions, or a tensor in an attribute.
  if (const auto* given = proto(slot)) return {constant_of(*given)};
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

}  // namespace fluid2onnx
