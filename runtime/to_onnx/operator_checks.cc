#include "runtime/to_onnx/operator_checks.h"

#include <algorithm>

#include "runtime/convert/complex.h"
#include "runtime/support/refused.h"

namespace fluid2onnx {

void check_complex(const Program& program, const Op& op, const FoundConverter& found) {
  for (const Slot& slot : op.inputs) {
    for (const std::string& name : slot.args) {
      const Variable* declared = name.empty() ? nullptr : program.find_variable(op.block, name);
      if (!declared || !is_complex(declared->dtype) || found.takes_complex_in(op.type, slot.name)) continue;
      Refused refused(E_COMPLEX, "complex numbers in '" + slot.name + "' of '" + op.type + "' cannot be converted");
      refused.hint("compute with the results of paddle.real and paddle.imag");
      throw refused;
    }
  }
}

void check_operands(const Op& op, const FoundConverter& found) {
  const auto nameless = [](const std::string& name) { return name.empty(); };
  for (const Slot& slot : op.inputs) {
    const auto left_out = std::count_if(slot.args.begin(), slot.args.end(), nameless);
    if (left_out == 0 || static_cast<size_t>(left_out) == slot.args.size()) continue;
    throw Refused(E_BAD_PROGRAM, "a tensor in the list '" + slot.name + "' has no name");
  }
  const auto require = [&](std::string_view slot) {
    const auto& names = op.input(slot);
    if (!std::all_of(names.begin(), names.end(), nameless)) return;
    throw Refused(E_BAD_PROGRAM, "operand '" + std::string(slot) + "' is missing");
  };
  if (found.added) {
    for (const std::string& slot : found.added->required) require(slot);
  } else {
    for (const std::string_view slot : found.required) require(slot);
  }
}

}  // namespace fluid2onnx
