// Checks the bodies that operators and functions share: let, require, variants, statements.
#pragma once

#include <deque>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "generator/check/expressions.h"
#include "generator/check/requirements.h"

namespace opgen {

class RecipeChecker {
 public:
  RecipeChecker(ExpressionChecker& expressions, const Row& row, Diagnostics& diagnostics)
      : expressions_(expressions), row_(row), diagnostics_(diagnostics) {}

  /// `list` must have its final address: names in scope point into it.
  void bindings(const std::vector<Binding>& spec, Scope& scope, OpsetRange& range, std::vector<CheckedBinding>& list);
  CheckedRequire require(const Require& spec, Scope& scope, OpsetRange& range);
  std::vector<CheckedRequire> requires_(const std::vector<Require>& spec, Scope& scope, OpsetRange& range);
  /// Variants in order; `outer` is the range of let and require around them. `results` are assigned by each.
  void variants(const std::vector<Variant>& spec, Scope& scope, const OpsetRange& outer,
                const std::vector<CheckedInput>& results, std::vector<CheckedVariant>& list, OpsetRange& range);

 private:
  /// What is assigned along the way through statements.
  struct Flow {
    std::set<std::string> assigned;         ///< on every path so far
    std::map<std::string, int> statements;  ///< how many statements assign a name
    bool optional_outputs = false;          ///< inside a choice by used(...): the output need not be set
    std::set<std::string> may_be_set;       ///< outputs that only a used(...) choice sets
  };
  struct Side;

  void condition(const Text& when, CheckedVariant& out, Scope& scope);
  void body(const Variant& v, const std::vector<CheckedInput>& results, CheckedVariant& out, Scope& scope);
  void report_unused();
  void report_unassigned(const Variant& v, const std::vector<CheckedInput>& results, const Flow& flow, Scope& scope);
  CheckedRequire library_requirement(const Text& call, Scope& scope, OpsetRange& range);
  const CheckedRequirement* find_requirement(const ExprPtr& call);
  bool bind_arguments(const Expr& call, const CheckedRequirement& found, Scope& scope, OpsetRange& range,
                      Arguments* arguments);
  void holes(const Text& text, CheckedRequire& out, std::string& piece, Scope& scope, OpsetRange& range);
  std::vector<CheckedStatement> statements(const Statements& spec, Scope& scope, OpsetRange& range, Flow& flow);
  std::vector<CheckedStatement> inner(const Statements& spec, const std::string& place, Scope& scope, OpsetRange& range,
                                      Flow& flow);
  CheckedStatement statement(const Statement& spec, Scope& scope, OpsetRange& range, Flow& flow);
  void lod(const Statement& spec, CheckedStatement& out, Scope& scope, OpsetRange& range);
  void choose(const Statement& spec, CheckedStatement& out, Scope& scope, OpsetRange& range, Flow& flow);
  void repeat(const Statement& spec, CheckedStatement& out, Scope& scope, OpsetRange& range, Flow& flow);
  void loop(const Statement& spec, CheckedStatement& out, Scope& scope, OpsetRange& range, Flow& flow);
  void branch(const Statement& spec, CheckedStatement& out, Scope& scope, OpsetRange& range, Flow& flow);
  std::vector<Target> assigned_by_both(const Statement& spec);
  static void join_ranges(const OpsetRange& a, const OpsetRange& b, OpsetRange& range);
  static void join_names(Side& a, const Side& b, CheckedStatement& out, Scope& scope);
  static void join_flows(const Flow& a, const Flow& b, const std::vector<Variable>& both, Flow& flow);
  void renew_assigned(const Statements& list, Scope& scope);
  void assign(const Statement& spec, CheckedStatement& out, Scope& scope, OpsetRange& range, Flow& flow);
  void target(const Target& t, const Type& type, CheckedStatement& out, Scope& scope, Flow& flow);
  Diagnostic& fail(const char* code, const Span& span, const std::string& message, const std::string& help = "") {
    return diagnostics_.error(code, span, message, help);
  }

  /// A name that statements assign; a new one until an expression reads it.
  struct Assigned {
    Target target;
    bool read = false;
  };

  ExpressionChecker& expressions_;
  const Row& row_;
  std::deque<Assigned> assigned_;  ///< of the variant in hand; names in scope point into it
  std::string within_;             ///< "the 'then' at line 28", of the statement in hand
  bool broken_ = false;            ///< a statement of the variant in hand cannot be read
  Diagnostics& diagnostics_;
};

}  // namespace opgen
