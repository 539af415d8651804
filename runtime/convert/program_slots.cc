#include "runtime/convert/program_slots.h"

namespace fluid2onnx {

Values ProgramSlots::inputs(std::string_view slot) const {
  Values values;
  for (const std::string& name : op_.input(slot)) values.push_back(name.empty() ? Value() : resolve_(name));
  return values;
}

Lod ProgramSlots::lod(std::string_view slot, size_t index) const {
  const auto& names = op_.input(slot);
  return index < names.size() && !names[index].empty() ? lod_of_(names[index]) : Lod();
}

Strings ProgramSlots::outputs(std::string_view slot) const {
  Strings names;
  for (const std::string& name : op_.output(slot)) names.push_back(name.empty() ? name : display_(op_, name));
  return names;
}

bool ProgramSlots::used(std::string_view slot) const {
  for (const std::string& name : op_.output(slot)) {
    if (read_later_.contains(name)) return true;
  }
  return false;
}

Dtype ProgramSlots::declared_dtype(std::string_view slot) const {
  for (const std::string& name : op_.output(slot)) {
    if (const Variable* declared = program_.find_variable(op_.block, name)) return declared->dtype;
  }
  for (const std::string& name : op_.input(slot)) {
    if (const Variable* declared = program_.find_variable(op_.block, name)) return declared->dtype;
  }
  return Dtype::undefined;
}

std::string ProgramSlots::name() const { return first_output(op_); }

Values ProgramSlots::get_values(std::string_view name) const {
  const Attribute* attr = op_.attr(name);
  const VariableRefs* refs = attr ? attr->as_variables() : nullptr;
  Values values;
  if (!refs) return values;
  for (const std::string& variable : refs->names) values.push_back(resolve_(variable));
  return values;
}

std::string first_output(const Op& op) {
  // Files list slots by their names, but a batch_norm is not named by its MeanOut.
  for (const char* slot : {"Out", "Output", "Y"}) {
    const std::string& name = op.output(slot, 0);
    if (!name.empty()) return name;
  }
  for (const Slot& slot : op.outputs) {
    for (const std::string& name : slot.args) {
      if (!name.empty()) return name;
    }
  }
  return "";
}

}  // namespace fluid2onnx
