#include "runtime/to_onnx/problems.h"

#include <algorithm>

#include "runtime/convert/program_slots.h"
#include "runtime/paddle/program/uses.h"
#include "runtime/to_onnx/custom_node.h"

namespace fluid2onnx {
namespace {

/// True for failures that unknown properties of operands can cause, such as those of placeholders.
bool about_operands(ErrorCode code) {
  switch (code) {
    case E_UNSUPPORTED:
    case E_OPSET:
    case E_REQUIRE:
    case E_NO_VARIANT:
    case E_INPUT:
    case E_ATTRIBUTE:
    case E_ATTR_KIND:
    case E_TRAINING:
    case E_BAD_PROGRAM: return false;
    default: return true;
  }
}

}  // namespace

bool reads_tainted(const Program& program, const Op& op, const Scope& scope) {
  bool tainted = false;
  for_each_read(program, op, [&](const std::string& name) {
    const Binding* binding = scope.find(name);
    tainted = tainted || (binding && binding->tainted);
  });
  return tainted;
}

void Problems::fail(const Op& op, Problem problem, Fault fault, bool must_fail) {
  const bool about_dtype =
      problem.code == E_DTYPE || problem.code == E_DTYPE_MISMATCH || problem.code == E_CONSTANT_DTYPE;
  if (about_dtype && problem.hint.empty()) problem.hint = retyped(op);
  if (fallback_ && !must_fail && fault != Fault::inside && can_be_custom(op)) {
    fallback_reason_ = problem.message + " [" + std::string(code_name(problem.code)) + "]";
    return;
  }
  ++failures_;
  if (fault == Fault::inside || (fault == Fault::behind && about_operands(problem.code))) return;
  if (!failed_.insert({op.block, op.index}).second) return;
  problem.behind = fault == Fault::behind;
  problem.block = op.block;
  problem.index = op.index;
  problem.op_type = op.type;
  problem.output = first_output(op);
  problem.source = op.source.to_string();
  all_.push_back(std::move(problem));
}

void Problems::refuse_output(const std::string& variable, const Op* writer, const Refused& reason) {
  if (writer) return fail(*writer, problem_of(reason), Fault::own, /*must_fail=*/true);
  Problem& problem = all_.emplace_back(problem_of(reason));
  problem.index = -1;
  problem.output = variable;
}

void Problems::add_custom_node(CustomNode node) {
  // Bodies of loops are converted more than once.
  const auto same = [&](const CustomNode& n) { return n.place == node.place; };
  if (std::none_of(custom_nodes_.begin(), custom_nodes_.end(), same)) custom_nodes_.push_back(std::move(node));
}

void Problems::note_dtype(const Op& op, const std::string& name, Dtype made, const std::string& spec) {
  retyped_.erase(name);
  const Variable* declared = program_.find_variable(op.block, name);
  if (!declared || declared->dtype == Dtype::undefined || made == Dtype::undefined || made == declared->dtype) return;
  retyped_[name] = "'" + name + "' is " + std::string(dtype_name(made)) + " by the spec of '" + op.type + "' in " +
                   spec + ", and the program declares it " + std::string(dtype_name(declared->dtype));
}

std::string Problems::retyped(const Op& op) const {
  for (const Slot& slot : op.inputs)
    for (const std::string& name : slot.args)
      if (const auto found = retyped_.find(name); found != retyped_.end()) return found->second;
  return "";
}

}  // namespace fluid2onnx
