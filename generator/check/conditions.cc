// Conditions: their types, and what they establish for the statements that they guard.
#include "generator/check/expressions.h"

#include <algorithm>

#include "generator/check/builtins.h"
#include "generator/check/expression_text.h"

namespace opgen {
namespace {

/// The comparison that makes a condition unknown: the leftmost one below 'and', 'or' and 'not'.
const Expr& unknown_part(const Expr& e) {
  const bool joins =
      (e.kind == Expr::Kind::binary && (e.text == "and" || e.text == "or")) || e.kind == Expr::Kind::unary;
  if (!joins) return e;
  for (const ExprPtr& a : e.args)
    if (a && a->type.may_be_dynamic) return unknown_part(*a);
  return e;
}

}  // namespace

void ExpressionChecker::check_condition(Expr& e, Scope& scope, OpsetRange& range) {
  const size_t errors = diagnostics_.error_count();
  const Type t = check(e, scope, range);
  if (diagnostics_.error_count() > errors) scope.known.insert(kBrokenCondition);
  condition_type(e, t);
}

bool ExpressionChecker::check_choice(Expr& e, Scope& scope, OpsetRange& range) {
  const size_t errors = diagnostics_.error_count();
  const Type t = check(e, scope, range);
  if (diagnostics_.error_count() > errors) scope.known.insert(kBrokenCondition);
  if (t.base == Base::tensor && !t.list && !t.optional) return true;
  condition_type(e, t);
  return false;
}

void ExpressionChecker::condition_type(const Expr& e, const Type& t) {
  if (is_unknown(t)) return;
  if (t.base != Base::boolean || t.list) {
    std::string help;
    if (t.list) help = "write 'len(...) > 0'";
    else if (is_tensorish(t))
      help = "ask has(X), is_const(X) or used(Out); a tensor chooses in Where, or in the statement 'if'";
    else help = "compare it, as in 'x != 0'";
    fail("type", e.span, "a condition must be a bool, but this is " + quoted(t), help);
  } else if (t.may_be_dynamic) {
    fail("unknown", unknown_part(e).span, "the condition compares a number that may be known only at run time",
         "guard it with known(...), as in 'known(d) and d == 1'");
  }
}

std::string ExpressionChecker::key(const Expr& e, Scope& scope) {
  if (e.kind == Expr::Kind::name) {
    const Name* n = scope.find(e.text);
    return e.text + (n != nullptr ? "#" + std::to_string(n->version) : "");
  }
  if (e.args.empty() && e.keywords.empty() && e.kind != Expr::Kind::call)
    return e.kind == Expr::Kind::string    ? '"' + e.text + '"'
           : e.kind == Expr::Kind::integer ? std::to_string(e.integer_value)
                                           : e.source;
  // Whether an output is used does not change with its value.
  if (e.kind == Expr::Kind::call && e.text == "used" && !e.args.empty()) return "used " + e.args[0]->text;
  std::string text = (e.kind == Expr::Kind::call ? "call " : "") + e.text + "(";
  for (const ExprPtr& a : e.args) text += (a ? key(*a, scope) : "") + ",";
  for (const Keyword& k : e.keywords) text += k.name + "=" + key(*k.value, scope) + ",";
  return text + ")";
}

std::optional<bool> ExpressionChecker::decided(const Expr& c, Scope& scope) const {
  if (scope.known.count(kBrokenCondition) > 0) return std::nullopt;
  if (c.kind == Expr::Kind::unary && c.text == "not") {
    const std::optional<bool> inner = decided(*c.args[0], scope);
    return inner ? std::optional(!*inner) : std::nullopt;
  }
  if (c.kind == Expr::Kind::binary && (c.text == "and" || c.text == "or")) {
    const bool strong = c.text == "or";  // one side with this value decides
    const std::optional<bool> a = decided(*c.args[0], scope), b = decided(*c.args[1], scope);
    if (a == strong || b == strong) return strong;
    return a && b ? std::optional(!strong) : std::nullopt;
  }
  if (scope.known.count("holds " + key(c, scope)) > 0) return true;
  if (scope.known.count("fails " + key(c, scope)) > 0) return false;
  if (c.kind != Expr::Kind::call || c.args.empty()) return std::nullopt;
  const Expr& what = *c.args[0];
  if (c.text == "known" && may_be_unknown(what.type) && is_known(what, scope)) return true;
  const bool given =
      what.kind == Expr::Kind::name && what.subject == NameKind::input && !what.type.optional && !what.type.list;
  if (c.text == "has" && given) return true;
  return std::nullopt;
}

void ExpressionChecker::note_condition(const Expr& c, Scope& scope, bool requires_it) {
  const std::optional<bool> value = decided(c, scope);
  const auto [found, is_new] = conditions_.try_emplace(c.span.place(), Condition{c.span, requires_it});
  Condition& condition = found->second;
  if (is_new && value) condition.value = *value;
  condition.varies = condition.varies || !value || *value != condition.value;
}

void ExpressionChecker::report_decided() {
  for (const auto& [place, c] : conditions_) {
    if (c.varies) continue;
    if (c.requires_it && c.value)
      fail("needless-requirement", c.span, "this requirement cannot fail: the recipe has established it before",
           "leave it out");
    else if (!c.requires_it)
      fail("decided-condition", c.span,
           "this condition always " + std::string(c.value ? "holds" : "fails") +
               ": the recipe has established that before",
           c.value ? "leave out the condition" : "leave out what it guards");
  }
}

void ExpressionChecker::learn(const Expr& c, Scope& scope) const {
  scope.known.insert("holds " + key(c, scope));
  if (c.kind == Expr::Kind::binary && c.text == "and") {
    learn(*c.args[0], scope);
    learn(*c.args[1], scope);
  } else if (c.kind == Expr::Kind::unary && c.text == "not") {
    learn_not(*c.args[0], scope);
  } else if (c.kind == Expr::Kind::call && c.text == "known" && !c.args.empty()) {
    const Expr& what = *c.args[0];
    scope.known.insert(key(what, scope));
    if (what.kind == Expr::Kind::call && what.text == "shape" && !what.args.empty())
      scope.known.insert("dim " + key(*what.args[0], scope));
  } else if (c.kind == Expr::Kind::call && c.text == "has" && !c.args.empty()) {
    scope.known.insert("has " + key(*c.args[0], scope));
  }
}

void ExpressionChecker::learn_not(const Expr& c, Scope& scope) const {
  scope.known.insert("fails " + key(c, scope));
  if (c.kind == Expr::Kind::binary && c.text == "or") {
    learn_not(*c.args[0], scope);
    learn_not(*c.args[1], scope);
  } else if (c.kind == Expr::Kind::unary && c.text == "not") {
    learn(*c.args[0], scope);
  }
}

bool ExpressionChecker::is_known(const Expr& e, Scope& scope) const {
  if (!may_be_unknown(e.type)) return true;
  if (scope.known.count(key(e, scope)) > 0 || scope.known.count(kBrokenCondition) > 0) return true;
  const auto all_known = [&](const ExprPtr& a) { return !a || is_known(*a, scope); };
  switch (e.kind) {
    case Expr::Kind::call:
      if (e.text == "dim" && !e.args.empty() && scope.known.count("dim " + key(*e.args[0], scope)) > 0) return true;
      if (e.text == "dim" || e.text == "shape" || e.text == "dim_of" || e.text == "dims_of" ||
          find_builtin(e.text) == nullptr)
        return false;
      return std::all_of(e.args.begin(), e.args.end(), all_known);
    case Expr::Kind::name: return false;
    case Expr::Kind::index:
    case Expr::Kind::slice: return is_known(*e.args[0], scope);
    case Expr::Kind::comprehension: return e.elements_known;
    case Expr::Kind::unary:
    case Expr::Kind::binary:
    case Expr::Kind::list:
    case Expr::Kind::conditional: return std::all_of(e.args.begin(), e.args.end(), all_known);
    default: return true;
  }
}

}  // namespace opgen
