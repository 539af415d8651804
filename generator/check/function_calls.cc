// Calls by name, and those of library functions.
#include "generator/check/expressions.h"

#include <algorithm>

#include "generator/check/builtins.h"
#include "generator/check/expression_text.h"
#include "generator/check/fluid_call.h"
#include "generator/diagnostics/text.h"
#include "generator/expr/habits.h"

namespace opgen {

Type ExpressionChecker::call(Expr& e, Scope& scope, OpsetRange& range, size_t results) {
  if (is_onnx_name(e.text)) return onnx_call(e, scope, range, results);
  if (!fluid_operator(e.text).empty()) return fluid_call(e, scope, range, results);
  const auto f = functions_.find(e.text);
  if (f != functions_.end()) return function_call(e, *f->second, scope, range, results);
  if (find_builtin(e.text) != nullptr) return builtin_call(e, scope, range);
  for (const ExprPtr& a : e.args) check(*a, scope, range);
  for (const Keyword& k : e.keywords) check(*k.value, scope, range);
  if (broken.count(e.text) == 0) unknown_function(e);
  return {};
}

void ExpressionChecker::unknown_function(const Expr& e) {
  std::vector<std::string> known = names_of(functions_);
  for (const Builtin& b : builtins()) known.emplace_back(b.name);
  const std::string node = capitalised(e.text);
  std::string help = function_habit(e.text);
  if (onnx_.exists(node)) help = "the ONNX operator is written '" + node + "'";
  if (requirements.count(e.text) > 0) help = "it is a requirement: write '- " + e.text + "(...)' under 'require'";
  if (!help.empty()) {
    fail("unknown-function", e.span, "unknown function '" + e.text + "'", help);
    return;
  }
  fail("unknown-function", e.span, "unknown function '" + e.text + "'" + did_you_mean(e.text, known),
       "run 'fluid2onnx spec functions' for the list; ONNX operators begin in upper case");
}

void ExpressionChecker::unknown_requirement(const Expr& e) {
  if (broken.count(e.text) == 0)
    fail("unknown-requirement", e.span,
         "the library has no requirement '" + e.text + "'" + did_you_mean(e.text, names_of(requirements)),
         "write 'that: condition' and 'else: message' for other conditions");
}

std::vector<Type> ExpressionChecker::result_types(Expr& e, Scope& scope, OpsetRange& range, size_t results) {
  if (results == 1) return {check(e, scope, range)};
  if (e.kind != Expr::Kind::call || find_builtin(e.text) != nullptr) {
    check(e, scope, range);
    fail("results", e.span, "only an ONNX operator or a function gives several results");
    return std::vector<Type>(results);
  }
  const auto f = functions_.find(e.text);
  if (f == functions_.end()) {
    check(e, scope, range, results);
    return std::vector<Type>(results, one(Base::tensor));
  }
  check(e, scope, range, results);
  const auto& formal = f->second->head.results;
  std::vector<Type> types;
  for (size_t i = 0; i < results; ++i) types.push_back(i < formal.size() ? formal[i].type : Type{});
  return types;
}

std::vector<ExprPtr> ExpressionChecker::arguments(const Expr& e, const FunctionHead& head, const Text& signature,
                                                  bool may_be_absent, Scope& scope, OpsetRange& range) {
  const auto& formal = head.parameters;
  std::vector<ExprPtr> args = e.args;
  if (args.size() > formal.size())
    fail("arguments", e.span,
         "'" + head.name + "' takes " + std::to_string(formal.size()) + " arguments, but " +
             std::to_string(args.size()) + " are given",
         signature.text);
  args.resize(std::max(args.size(), formal.size()));
  for (const Keyword& k : e.keywords) {
    const auto p = std::find_if(formal.begin(), formal.end(), [&](const Parameter& q) { return q.name == k.name; });
    if (p == formal.end()) {
      fail("arguments", k.span,
           "'" + head.name + "' has no parameter '" + k.name + "'" + did_you_mean(k.name, names_of(formal)),
           signature.text);
      continue;
    }
    args[static_cast<size_t>(p - formal.begin())] = k.value;
  }
  for (size_t i = 0; i < formal.size(); ++i) {
    if (!args[i]) {
      if (!formal[i].default_value)
        fail("arguments", e.span, "'" + head.name + "' needs its argument '" + formal[i].name + "'", signature.text);
      args[i] = formal[i].default_value;
      continue;
    }
    const Type t = check(*args[i], scope, range);
    if (formal[i].type.optional && args[i]->kind == Expr::Kind::omitted) continue;
    if (!converts(t, formal[i].type))
      fail("type", args[i]->span,
           "argument '" + formal[i].name + "' of '" + head.name + "' must be " + quoted(formal[i].type) +
               ", but this is " + quoted(t),
           way_out(t, formal[i].type).empty() ? signature.text : way_out(t, formal[i].type));
    else if (!formal[i].type.optional && !may_be_absent)
      need(*args[i], "argument '" + formal[i].name + "' of '" + head.name + "'");
  }
  return args;
}

Type ExpressionChecker::function_call(Expr& e, const CheckedFunction& f, Scope& scope, OpsetRange& range,
                                      size_t results) {
  calls[f.head.name].emplace(e.span.place(), e.span);
  if (f.head.results.size() != results && !f.head.results.empty())
    fail("results", e.span,
         "'" + e.text + "' gives " + counted(f.head.results.size(), "result") + ", but " + taken(results),
         results < f.head.results.size() ? kNameEach : "");
  e.args = arguments(e, f.head, f.spec->head, false, scope, range);
  e.keywords.clear();
  if (f.emits_paddle && !emits_paddle) fluid_at = e.span;
  emits_paddle = emits_paddle || f.emits_paddle;
  narrow(range, f.range.first, f.range.last, e.span,
         "'" + f.head.name + "'" + (f.range.why_first.empty() ? "" : " (" + f.range.why_first + ")"));
  return f.head.results.empty() ? Type{} : f.head.results[0].type;
}

}  // namespace opgen
