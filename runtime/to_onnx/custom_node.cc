#include "runtime/to_onnx/custom_node.h"

#include <type_traits>

#include "runtime/onnx/graph/attributes.h"
#include "runtime/to_onnx/declared_sizes.h"

namespace fluid2onnx {
namespace {

/// False for values that no attribute of ONNX can hold.
bool add_attribute(const Attribute& attribute, Attrs* attrs) {
  return std::visit(
      [&](const auto& value) {
        using T = std::decay_t<decltype(value)>;
        if constexpr (std::is_same_v<T, std::vector<bool>>) {
          attrs->emplace_back(attribute.name, Ints(value.begin(), value.end()));
          return true;
        } else if constexpr (std::is_constructible_v<Attr, std::string, T>) {
          attrs->emplace_back(attribute.name, value);
          return true;
        } else {
          return false;
        }
      },
      attribute.value);
}

}  // namespace

bool can_be_custom(const Op& op) { return op.sub_blocks().empty(); }

void emit_custom_node(OpContext& context, Model& model, const Program& program, const Op& op, const CustomOp& custom) {
  Node node;
  node.domain = custom.domain;
  node.op_type = custom.op;
  Attrs attrs;
  for (const Attribute& a : op.attrs) {
    if (a.name.empty()) context.refuse(E_BAD_PROGRAM, "an attribute of a custom operator has no name");
    if (const VariableRefs* names = a.as_variables()) {
      const std::string list = names->names.empty() ? "" : names->names.front();
      context.refuse(E_UNSUPPORTED, "attribute '" + a.name + "' of a custom operator is the tensor '" + list + "'");
    }
    if (!add_attribute(a, &attrs))
      context.refuse(E_UNSUPPORTED,
                     "attribute '" + a.name + "' is " + a.kind_name() + ", which ONNX nodes do not support");
  }
  Strings input_slots, output_slots;
  for (const Slot& slot : op.inputs) {
    if (!context.has(slot.name)) continue;
    for (const Value v : context.inputs(slot.name)) {
      node.inputs.push_back(v);
      input_slots.push_back(slot.name);
    }
  }
  std::vector<std::pair<std::string, Values>> results;
  for (const Slot& slot : op.outputs) {
    Values& values = results.emplace_back(slot.name, Values()).second;
    for (const std::string& name : slot.args) {
      const Value v = values.emplace_back(model.new_value(name));
      node.outputs.push_back(v);
      output_slots.push_back(slot.name);
      const Variable* declared = program.find_variable(op.block, name);
      if (declared && declared->dtype != Dtype::undefined) model.set_type(v, declared_type(*declared));
    }
  }
  attrs.emplace_back("input_slots", input_slots);
  attrs.emplace_back("output_slots", output_slots);
  node.attributes = to_protos(attrs);
  model.add_node(std::move(node));
  for (const auto& [slot, values] : results) context.set_outputs(slot, values);
}

}  // namespace fluid2onnx
