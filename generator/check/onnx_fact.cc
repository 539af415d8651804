#include "generator/check/onnx_fact.h"

#include <charconv>

#include "generator/diagnostics/text.h"

namespace opgen {
namespace {

constexpr int kPaddleFloat32 = 5;  // FP32 of VarType

SlotFact slot_of(const OnnxOperand& operand) {
  SlotFact slot;
  slot.name = operand.name;
  slot.optional = operand.optional;
  slot.list = operand.variadic;
  return slot;
}

std::string slots_text(const std::vector<OnnxOperand>& operands) {
  return joined(
      operands, [](const OnnxOperand& o) { return o.name + (o.variadic ? "*" : ""); }, " ");
}

}  // namespace

const OnnxGroup* find_onnx_group(const OnnxModel& onnx, const std::string& name) {
  if (const OnnxGroup* group = onnx.find(name, 0)) return group;
  const size_t at = name.rfind('_');
  if (at == std::string::npos) return nullptr;
  int version = 0;
  const char* const end = name.data() + name.size();
  const auto [stop, error] = std::from_chars(name.data() + at + 1, end, version);
  return error == std::errc() && stop == end && version > 0 ? onnx.find(name.substr(0, at), version) : nullptr;
}

OpFact onnx_fact(const OnnxGroup& group) {
  const OnnxVersion& newest = group.newest();
  OpFact fact;
  for (const OnnxOperand& operand : newest.inputs) fact.inputs.push_back(slot_of(operand));
  for (const OnnxOperand& result : newest.outputs) fact.outputs.push_back(slot_of(result));
  for (const auto& [name, attr] : newest.attrs) {
    if (attr.type == OnnxAttr::Type::tensor) {
      SlotFact slot;
      slot.name = name;
      slot.optional = true;
      fact.inputs.push_back(slot);
      continue;
    }
    AttrFact out;
    out.name = name;
    out.type = name_of(attr.type);
    out.default_value = attr.default_value;
    out.required = attr.required;
    if (out.type.empty()) continue;
    const bool dtype = name == "to" || name == "dtype";
    if (dtype && out.default_value == 1) out.default_value = kPaddleFloat32;
    fact.attrs.push_back(std::move(out));
  }
  return fact;
}

OnnxForm onnx_form(const OnnxGroup& group, const OnnxModel& onnx, const std::set<const OnnxGroup*>& with_specs) {
  const OnnxGroup* first = &group;
  while (first->reads_older) {
    const OnnxGroup* older = onnx.before(*first);
    if (older == nullptr || with_specs.count(older) > 0) break;
    first = older;
  }
  OnnxForm form;
  form.first = first->reads_from > 0 ? first->reads_from : first->versions.front().first;
  form.inputs = slots_text(group.newest().inputs);
  form.outputs = slots_text(group.newest().outputs);
  form.older = joined(
      group.older, [](const auto& names) { return names.first + "=" + names.second; }, " ");
  return form;
}

}  // namespace opgen
