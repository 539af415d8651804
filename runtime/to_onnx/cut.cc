#include "runtime/to_onnx/cut.h"

#include <algorithm>
#include <set>
#include <utility>

#include "runtime/paddle/program/needed_ops.h"
#include "runtime/paddle/program/uses.h"
#include "runtime/report/signature.h"
#include "runtime/support/error.h"
#include "runtime/support/has_item.h"
#include "runtime/to_onnx/convert_model.h"

namespace fluid2onnx {
namespace {

/// The operators of the main block that fail, or that have one in their blocks.
class Failing {
 public:
  Failing(const std::vector<Problem>& problems, const Program& program) : program_(program) {
    for (const Problem& p : problems) {
      if (!p.behind) places_.insert({p.block, p.index});
    }
  }
  bool holds(const Op& op) const {
    if (places_.count({op.block, op.index})) return true;
    const std::vector<int32_t> blocks = op.sub_blocks();
    return std::any_of(blocks.begin(), blocks.end(), [this](int32_t block) {
      const auto& ops = program_.blocks[static_cast<size_t>(block)].ops;
      return std::any_of(ops.begin(), ops.end(), [this](const Op& inner) { return holds(inner); });
    });
  }

 private:
  const Program& program_;
  std::set<std::pair<int32_t, int32_t>> places_;
};

bool can_be_output(const Program& program, const std::string& name) {
  const Variable* variable = program.main().find(name);
  return variable && variable->kind == VariableKind::tensor && !variable->persistable;
}

std::vector<std::string> cut_points(const std::vector<Problem>& problems, const Program& program,
                                    const Signature& signature) {
  const Failing failing(problems, program);
  NameSet wanted, given;
  for (const Port& port : signature.outputs) wanted.insert(port.variable);
  for (const Port& port : signature.inputs) given.insert(port.variable);
  CutSearch search;
  for (const NeededOp& live : needed_ops(program, 0, wanted, given)) {
    search.visit(failing.holds(*live.op), names_read(program, *live.op), names_written(program, *live.op));
  }
  for (const Port& port : signature.outputs) search.add(port.variable);
  std::erase_if(search.outputs, [&](const std::string& name) { return !can_be_output(program, name); });
  return std::move(search.outputs);
}

}  // namespace

Cut cut_before(const std::vector<Problem>& problems, const Program& program, const ConvertOptions& options) {
  Cut cut;
  ConvertOptions part = options;
  part.find_working_opset = false;
  part.progress = nullptr;
  try {
    part.outputs = cut_points(problems, program, plan_signature(program, options));
    if (part.outputs.empty()) return cut;
    std::erase_if(part.renames, [&](const auto& entry) { return !has_item(part.outputs, entry.first); });
    const Report report = convert_model(program, part).report;
    if (!report.ok || report.operator_count() == 0) return cut;
    cut.outputs = std::move(part.outputs);
    cut.operators = report.operator_count();
  } catch (const Error&) {
    // A value before the failing operators cannot be an output: no advice.
  }
  return cut;
}

}  // namespace fluid2onnx
