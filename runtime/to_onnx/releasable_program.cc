#include "runtime/to_onnx/releasable_program.h"

namespace fluid2onnx {

void ReleasableProgram::release_variables(const Strings& names) {
  if (!owned_) return;
  for (const std::string& name : names) owned_->blocks.front().variables.erase(name);
}

void ReleasableProgram::release_slots(const Op& op) {
  if (!owned_) return;
  std::vector<Op>& ops = owned_->blocks.front().ops;
  Op& own = ops[static_cast<size_t>(&op - ops.data())];
  own.inputs = std::vector<Slot>();
  own.outputs = std::vector<Slot>();
  own.attrs = {};
}

void ReleasableProgram::release_all() {
  if (owned_) *owned_ = Program();
}

}  // namespace fluid2onnx
