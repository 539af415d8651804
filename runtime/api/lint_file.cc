#include "runtime/api/lint_file.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "runtime/report/target_report.h"
#include "runtime/support/text.h"

namespace fluid2onnx {

bool LintResult::ok() const {
  return std::all_of(targets.begin(), targets.end(), [](const TargetReport& report) { return report.ok(); });
}

LintResult lint_file(const std::string& model, const std::string& target) {
  std::vector<const Target*> chosen;
  if (target == "all") {
    chosen = newest_targets();
  } else {
    chosen.push_back(&find_target(target));
  }
  const OnnxFile onnx = open_onnx(model);
  const TargetLint lint(onnx);
  LintResult result{model, {}};
  // Any value of an ONNX file can be an output.
  for (const Target* one : chosen) result.targets.push_back(lint.check(*one, [](const std::string&) { return true; }));
  return result;
}

nlohmann::json lint_json(const LintResult& result) {
  nlohmann::json targets = nlohmann::json::array();
  for (const TargetReport& report : result.targets) targets.push_back(target_json(report));
  return {{"model", result.model}, {"ok", result.ok()}, {"targets", targets}};
}

std::string lint_text(const LintResult& result) {
  std::string text;
  if (result.targets.size() > 1) {
    for (const TargetReport& report : result.targets) text += target_line(report);
    return text;
  }
  const TargetReport& report = result.targets.front();
  if (!report.ok()) return target_text(report, result.model);
  return report.target->text() + " runs all " + count_of(static_cast<size_t>(report.nodes), "node") + "\n";
}

}  // namespace fluid2onnx
