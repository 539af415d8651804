#include "generator/check/targets.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <set>

#include "generator/diagnostics/text.h"

namespace opgen {
namespace {

/// The names of all versions of an operator.
struct OperatorNames {
  std::set<std::string> operands, results, attributes;
  std::map<std::string, std::set<std::string>> dtypes;  ///< by type variable
};

void add_operand(const OnnxOperand& operand, std::set<std::string>* names, OperatorNames* all) {
  names->insert(operand.name);
  if (!operand.type.empty()) all->dtypes[operand.type].insert(operand.dtypes.begin(), operand.dtypes.end());
}

OperatorNames names_of(const OnnxModel& onnx, const std::string& op) {
  OperatorNames names;
  for (const OnnxGroup* group = onnx.find(op, 0); group != nullptr; group = onnx.before(*group))
    for (const OnnxVersion& version : group->versions) {
      for (const OnnxOperand& operand : version.inputs) add_operand(operand, &names.operands, &names);
      for (const OnnxOperand& result : version.outputs) add_operand(result, &names.results, &names);
      for (const auto& [name, attribute] : version.attrs) names.attributes.insert(name);
    }
  return names;
}

class TargetChecker {
 public:
  TargetChecker(const OnnxModel& onnx, Diagnostics& diagnostics) : onnx_(onnx), diagnostics_(diagnostics) {}

  void target(const TargetFile& target) {
    for (const Text& op : target.unjudged) {
      if (!exists(op)) continue;
      const auto same = [&](const TargetOperator& fact) { return fact.op.text == op.text; };
      const auto fact = std::find_if(target.ops.begin(), target.ops.end(), same);
      if (fact != target.ops.end())
        diagnostics_.error("duplicate-name", op.span, "'" + op.text + "' has facts, so it is not unjudged")
            .notes.emplace_back(fact->op.span, "here");
    }
    for (const TargetOperator& fact : target.ops)
      if (exists(fact.op)) check(fact);
  }

 private:
  bool exists(const Text& op) {
    if (op.text.empty() || onnx_.exists(op.text)) return !op.text.empty();
    diagnostics_.error("unknown-operator", op.span,
                       "ONNX has no operator '" + op.text + "'" + did_you_mean(op.text, onnx_.names()));
    return false;
  }

  void known(const Text& name, const std::set<std::string>& names, const std::string& what, const Text& op) {
    if (names.count(name.text) > 0) return;
    const std::vector<std::string> list(names.begin(), names.end());
    const std::string guess = did_you_mean(name.text, list);
    diagnostics_.error("unknown-name", name.span, "'" + op.text + "' has no " + what + " '" + name.text + "'" + guess,
                       guess.empty() && !list.empty() ? "it has " + joined(list) : "");
  }

  void check(const TargetOperator& fact) {
    const OperatorNames names = names_of(onnx_, fact.op.text);
    std::set<std::string> variables;
    for (const auto& [variable, dtypes] : names.dtypes) variables.insert(variable);
    for (const TargetChoice& choice : fact.dtypes) {
      known(choice.name, variables, "type variable", fact.op);
      const auto dtypes = names.dtypes.find(choice.name.text);
      if (dtypes == names.dtypes.end()) continue;
      for (const Text& dtype : choice.values)
        if (dtypes->second.count(dtype.text) == 0)
          diagnostics_.error("unknown-dtype", dtype.span,
                             "'" + fact.op.text + "' never has '" + choice.name.text + "' in '" + dtype.text + "'" +
                                 did_you_mean(dtype.text, {dtypes->second.begin(), dtypes->second.end()}));
    }
    for (const TargetChoice& choice : fact.attributes) known(choice.name, names.attributes, "attribute", fact.op);
    for (const TargetRanks& ranks : fact.ranks) known(ranks.operand, names.operands, "operand", fact.op);
    for (const Text& operand : fact.constant) known(operand, names.operands, "operand", fact.op);
    std::set<std::string> ports = names.operands;
    ports.insert(names.results.begin(), names.results.end());
    for (const Text& port : fact.without) known(port, ports, "operand or result", fact.op);
  }

  const OnnxModel& onnx_;
  Diagnostics& diagnostics_;
};

}  // namespace

void check_targets(const std::vector<TargetFile>& targets, const OnnxModel& onnx, Diagnostics& diagnostics) {
  TargetChecker checker(onnx, diagnostics);
  for (const TargetFile& target : targets) checker.target(target);
}

}  // namespace opgen
