// Which nodes of an ONNX file other engines refuse.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "runtime/targets/lint.h"

namespace fluid2onnx {

struct LintResult {
  std::string model;
  std::vector<TargetReport> targets;

  bool ok() const;
};

/// `target`: NAME, NAME@VERSION or "all", which means the newest version of each. Errors: those of open_onnx and
/// find_target.
LintResult lint_file(const std::string& model, const std::string& target);

/// {"model", "ok": bool, "targets": [target_json()]}
nlohmann::json lint_json(const LintResult& result);
/// For people; ends with a newline. Of several targets, one line each.
std::string lint_text(const LintResult& result);

}  // namespace fluid2onnx
