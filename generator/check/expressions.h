// Types of expressions, and the opsets at which they are available.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "generator/check/builtins.h"
#include "generator/check/program.h"
#include "generator/check/scope.h"

namespace opgen {

/// For variants that promise no opsets.
inline OpsetRange no_limit() { return {newest_opset(), kOldestOpset, ""}; }

class ExpressionChecker {
 public:
  ExpressionChecker(const OnnxModel& onnx, const Facts& facts,
                    const std::map<std::string, const CheckedFunction*>& functions, std::set<const OnnxGroup*>& groups,
                    Diagnostics& diagnostics)
      : onnx_(onnx), facts_(facts), functions_(functions), groups_(groups), diagnostics_(diagnostics) {}

  /// Fills Expr::type of `e` and everything in it and narrows `range`. `results` is how many values the statement
  /// takes.
  Type check(Expr& e, Scope& scope, OpsetRange& range, size_t results = 1);
  /// As check, and the type must fit. `what` names the place: "condition", "attribute 'axis'".
  void check_as(Expr& e, const Type& want, Scope& scope, OpsetRange& range, const std::string& what);
  /// A condition: bool, and not unknown. Nothing is known about a wrong one: see kBrokenCondition.
  void check_condition(Expr& e, Scope& scope, OpsetRange& range);
  /// The condition of a choice: as check_condition, or true for a tensor, by which an ONNX If chooses.
  bool check_choice(Expr& e, Scope& scope, OpsetRange& range);
  /// The value of a condition if the enclosing conditions determine it.
  std::optional<bool> decided(const Expr& condition, Scope& scope) const;
  /// Notes a requirement, or the condition of a choice, for report_decided.
  void note_condition(const Expr& condition, Scope& scope, bool requires_it);
  /// Reports noted conditions that have the same known value in all rows of their templates.
  void report_decided();
  /// Adds what follows from the condition to `scope`.
  void learn(const Expr& condition, Scope& scope) const;
  /// Adds what follows from its negation.
  void learn_not(const Expr& condition, Scope& scope) const;
  /// Types of the values of one iteration over `source`: its elements, or those of the lists in zip and enumerate.
  std::vector<Type> iteration_types(Expr& source, size_t names, const Span& names_span, Scope& scope,
                                    OpsetRange& range);
  /// Reports an operand that can be absent where one is required; `who` requires it.
  void need(const Expr& e, const std::string& who);
  /// Types of the several results of a call.
  std::vector<Type> result_types(Expr& e, Scope& scope, OpsetRange& range, size_t results);

  std::map<std::string, const CheckedRequirement*> requirements;  ///< by name
  std::string operator_name;                                      ///< that is being checked; "" in a function
  /// The arguments of a call in the order of the parameters, checked; null where one is missing, after a diagnostic.
  std::vector<ExprPtr> arguments(const Expr& e, const FunctionHead& head, const Text& signature, bool may_be_absent,
                                 Scope& scope, OpsetRange& range);
  void unknown_requirement(const Expr& e);

  Calls calls;
  std::set<std::string> broken;  ///< functions whose heads could not be read, which was reported
  bool emits_paddle = false;     ///< set when an operator of Paddle is called
  Span fluid_at;                 ///< the first such call
  /// Releases of Paddle that since() asks for, with the first place.
  std::map<std::string, Span> asked;
  OpsetRange limit;  ///< written opsets of the variant, to complain at the node that needs more

 private:
  /// A condition, at its place: the rows of a template share it.
  struct Condition {
    Span span;
    bool requires_it = false;
    bool varies = false;
    bool value = false;
  };
  std::map<Place, Condition> conditions_;

  void condition_type(const Expr& e, const Type& t);
  Type name(Expr& e, Scope& scope);
  Type unary(Expr& e, Scope& scope, OpsetRange& range);
  Type binary(Expr& e, Scope& scope, OpsetRange& range);
  Type logic(Expr& e, const Type& a, Scope& scope, OpsetRange& range);
  Type membership(const Expr& e, Scope& scope);
  Type comparison(const Expr& e, Scope& scope);
  Type condition_on_both(const Expr& e, Scope& scope);
  Type of_tensors(Expr& e, OpsetRange& range);
  Type of_lists(const Expr& e);
  Type arithmetic(const Expr& e);
  Type list(Expr& e, Scope& scope, OpsetRange& range);
  Type choice(Expr& e, Scope& scope, OpsetRange& range);
  Type element(Expr& e, Scope& scope, OpsetRange& range);
  Type part(Expr& e, Scope& scope, OpsetRange& range);
  Type call(Expr& e, Scope& scope, OpsetRange& range, size_t results);
  Type onnx_call(Expr& e, Scope& scope, OpsetRange& range, size_t results);
  void unknown_onnx(const Expr& e);
  void place_operands(Expr& e, const OnnxVersion& newest, Scope& scope, OpsetRange& range);
  void onnx_operands(const Expr& e, const OnnxGroup& group, Scope& scope, OpsetRange& range);
  void onnx_attributes(const Expr& e, const OnnxGroup& group, Scope& scope, OpsetRange& range);
  void narrow_by_attribute(const Keyword& k, const OnnxGroup& group, const std::string& op, OpsetRange& range);
  Type onnx_results(const Expr& e, const OnnxVersion& newest, size_t results);
  Type function_call(Expr& e, const CheckedFunction& f, Scope& scope, OpsetRange& range, size_t results);
  Type fluid_call(Expr& e, Scope& scope, OpsetRange& range, size_t results);
  void fluid_argument(Keyword& k, const OpFact& op, const std::string& name, Scope& scope, OpsetRange& range);
  Type builtin_call(Expr& e, Scope& scope, OpsetRange& range);
  Type form(const Expr& e, const Builtin& b, const std::vector<Type>& given);
  Type since(Expr& e);
  static bool is_declared(const std::string& builtin);
  static bool is_unassigned(const Expr& e, Scope& scope);
  Type about_slot(Expr& e, const Builtin& b, Scope& scope);
  Type extreme(const Expr& e, const Builtin& b, const std::vector<Type>& given);
  Type comprehension(Expr& e, Scope& scope, OpsetRange& range);
  Type tensor_operator(Expr& e, const char* op, OpsetRange& range);
  bool is_known(const Expr& e, Scope& scope) const;
  void unknown_name(const Expr& e, const Scope& scope);
  void unknown_function(const Expr& e);
  /// One text for each value: the expression with the version of each name.
  static std::string key(const Expr& e, Scope& scope);
  /// `what` at `span` exists at these opsets only; `older` names its predecessor, if any.
  void narrow(OpsetRange& range, int first, int last, const Span& span, const std::string& what,
              const std::string& older = "");
  Diagnostic& fail(const char* code, const Span& span, const std::string& message, const std::string& help = "") {
    return diagnostics_.error(code, span, message, help);
  }

  const OnnxModel& onnx_;
  const Facts& facts_;
  const std::map<std::string, const CheckedFunction*>& functions_;
  std::set<const OnnxGroup*>& groups_;
  Diagnostics& diagnostics_;
};

}  // namespace opgen
