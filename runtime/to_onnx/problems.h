// Collects failures, custom nodes, and notes that may explain later failures.
#pragma once

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "runtime/paddle/program/program.h"
#include "runtime/report/report.h"
#include "runtime/support/problem.h"
#include "runtime/support/refused.h"
#include "runtime/to_onnx/scope.h"

namespace fluid2onnx {

/// True if the operator reads a value that depends on an operator that failed.
bool reads_tainted(const Program& program, const Op& op, const Scope& scope);

class Problems {
 public:
  /// `fallback`: operators that fail become custom nodes, if they can.
  Problems(const Program& program, bool fallback) : program_(program), fallback_(fallback) {}

  /// Where a failure comes from: the operator, perhaps an operator before it, or its blocks.
  enum class Fault { own, behind, inside };
  /// Adds the location to `problem`. `must_fail`: the operator cannot become a custom node.
  void fail(const Op& op, Problem problem, Fault fault, bool must_fail = false);
  /// Why the operator that failed last becomes a custom node; "" if it does not, or at the second call.
  std::string take_fallback_reason() { return std::exchange(fallback_reason_, ""); }
  /// Reports why a variable cannot be an output, as a problem of the operator that writes it (null: none).
  void refuse_output(const std::string& variable, const Op* writer, const Refused& reason);

  void add_custom_node(CustomNode node);
  /// Notes a result whose dtype, by a spec given at run time, is not the declared one: it may explain later failures.
  void note_dtype(const Op& op, const std::string& name, Dtype made, const std::string& spec);

  /// How many operators failed so far, reported or not.
  int64_t failures() const { return failures_; }
  const std::vector<Problem>& all() const { return all_; }
  const std::vector<CustomNode>& custom_nodes() const { return custom_nodes_; }

 private:
  std::string retyped(const Op& op) const;

  const Program& program_;
  const bool fallback_;
  std::vector<Problem> all_;
  std::set<std::pair<int32_t, int32_t>> failed_;  // block and index: bodies of loops are walked more than once
  int64_t failures_ = 0;
  std::string fallback_reason_;
  std::vector<CustomNode> custom_nodes_;
  std::map<std::string, std::string, std::less<>> retyped_;  // by variable: the note about it
};

}  // namespace fluid2onnx
