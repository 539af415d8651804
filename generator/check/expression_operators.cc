// Operators between expressions: logic, comparisons, arithmetic of numbers, lists and tensors.
#include "generator/check/expressions.h"

#include <algorithm>

#include "generator/check/builtins.h"
#include "generator/check/expression_text.h"

namespace opgen {

Type ExpressionChecker::unary(Expr& e, Scope& scope, OpsetRange& range) {
  if (e.text == "not") {
    const Type t = check(*e.args[0], scope, range);
    if (is_tensorish(t)) {
      fail("type", e.span, "'not' is for conditions, not for tensors", "write Not(X)");
    } else if (!is_unknown(t) && (t.base != Base::boolean || t.list)) {
      fail("type", e.span, "'not' needs a bool, not " + quoted(t));
    }
    return {Base::boolean, false, false, t.may_be_dynamic};
  }
  const Type t = check(*e.args[0], scope, range);
  need(*e.args[0], "'-'");
  if (is_tensorish(t)) return tensor_operator(e, "Neg", range);
  if (is_number(t) || is_unknown(t)) return t;
  fail("type", e.span, "'-' needs a number or a tensor, not " + quoted(t));
  return {};
}

Type ExpressionChecker::binary(Expr& e, Scope& scope, OpsetRange& range) {
  const std::string& op = e.text;
  const Type a = check(*e.args[0], scope, range);
  if (op == "and" || op == "or") return logic(e, a, scope, range);
  const Type b = check(*e.args[1], scope, range);
  const bool member = op == "in" || op == "not_in";
  const bool compares = op == "==" || op == "!=" || op == "<" || op == "<=" || op == ">" || op == ">=";
  if (is_unknown(a) || is_unknown(b)) return compares || member ? one(Base::boolean) : Type{};
  if (member) return membership(e, scope);
  if (compares) return comparison(e, scope);
  if (is_tensorish(a) || is_tensorish(b)) return of_tensors(e, range);
  if (a.list || b.list) return of_lists(e);
  return arithmetic(e);
}

/// The right side counts only when the left one holds ("and"), or does not ("or").
Type ExpressionChecker::logic(Expr& e, const Type& a, Scope& scope, OpsetRange& range) {
  const std::set<std::string> outside = scope.known;
  if (e.text == "and") learn(*e.args[0], scope);
  else learn_not(*e.args[0], scope);
  const Type b = check(*e.args[1], scope, range);
  scope.known = outside;
  for (size_t i = 0; i < 2; ++i) {
    const Type t = i == 0 ? a : b;
    if (is_unknown(t) || (t.base == Base::boolean && !t.list)) continue;
    fail("type", e.args[i]->span, "'" + e.text + "' needs bools, not " + quoted(t),
         is_tensorish(t) ? "write And(X, Y) or Or(X, Y)" : "compare it, as in 'len(xs) > 0'");
  }
  return {Base::boolean, false, false, a.may_be_dynamic || b.may_be_dynamic};
}

/// A comparison of two values; one can be known only at run time.
Type ExpressionChecker::condition_on_both(const Expr& e, Scope& scope) {
  const bool may_be_dynamic = std::any_of(e.args.begin(), e.args.end(), [&](const ExprPtr& side) {
    return may_be_unknown(side->type) && !is_known(*side, scope);
  });
  return {Base::boolean, false, false, may_be_dynamic};
}

Type ExpressionChecker::membership(const Expr& e, Scope& scope) {
  const Type &a = e.args[0]->type, &b = e.args[1]->type;
  if (!b.list) fail("type", e.span, "'in' needs a list on its right, not " + quoted(b));
  else if (is_unknown(unify(a, one(b.base))))
    fail("type", e.span, "a " + quoted(a) + " cannot be in a list of " + quoted(one(b.base)));
  return condition_on_both(e, scope);
}

Type ExpressionChecker::comparison(const Expr& e, Scope& scope) {
  const Type &a = e.args[0]->type, &b = e.args[1]->type;
  if (is_tensorish(a) || is_tensorish(b)) {
    fail("type", e.span, "'" + e.text + "' compares numbers known while converting, not tensors",
         "write Equal(X, Y), Less(X, Y), Greater(X, Y) ... for tensors");
    return one(Base::boolean);
  }
  const bool ordered = e.text != "==" && e.text != "!=";
  if (is_unknown(unify(a, b)) || (ordered && (a.list || !is_number(a))))
    fail("type", e.span, "cannot compare " + quoted(a) + " with " + quoted(b) + " by '" + e.text + "'",
         names_dtype(*e.args[0])   ? bare_dtype(*e.args[0])
         : names_dtype(*e.args[1]) ? bare_dtype(*e.args[1])
                                   : "");
  return condition_on_both(e, scope);
}

/// At least one side is a tensor: a node.
Type ExpressionChecker::of_tensors(Expr& e, OpsetRange& range) {
  const Type &a = e.args[0]->type, &b = e.args[1]->type;
  for (const ExprPtr& side : e.args) need(*side, "'" + e.text + "'");
  const Type other = is_tensorish(a) ? b : a;
  if (!is_tensorish(other) && !is_number(other) && !(other.list && converts(other, one(Base::operand)))) {
    fail("type", e.span, "cannot combine a tensor with " + quoted(other));
    return one(Base::tensor);
  }
  const char* node = operator_node(e.text);
  if (node != nullptr) return tensor_operator(e, node, range);
  fail("type", e.span, "'" + e.text + "' is not an operator of tensors",
       e.text == "%" ? "write Mod(X, Y)"
                     : "write Floor(X / Y) for floats, or use the function floor_divide of the library");
  return one(Base::tensor);
}

Type ExpressionChecker::of_lists(const Expr& e) {
  const Type &a = e.args[0]->type, &b = e.args[1]->type;
  if (e.text == "+" && a.list && b.list) {
    const Type both = unify(a, b);
    if (!is_unknown(both)) return both;
  }
  if (e.text == "*" && a.list && b.base == Base::integer && !b.list) return a;
  fail("type", e.span, "cannot combine " + quoted(a) + " with " + quoted(b) + " by '" + e.text + "'",
       "write [a + b for a, b in zip(xs, ys)] for elementwise arithmetic; '+' joins lists, and 'list * n' repeats one");
  return a.list ? a : b;
}

Type ExpressionChecker::arithmetic(const Expr& e) {
  const std::string& op = e.text;
  const Type &a = e.args[0]->type, &b = e.args[1]->type;
  if (op == "+" && a.base == Base::string && b.base == Base::string) return a;
  if (!is_number(a) || !is_number(b)) {
    fail("type", e.span, "'" + op + "' needs numbers or tensors, not " + quoted(is_number(a) ? b : a));
    return {};
  }
  const Type both = unify(a, b);
  if (op == "/") {
    if (both.base == Base::dim) return one(Base::scalar);
    return both.base == Base::integer ? one(Base::floating) : both;
  }
  if (op == "//" || op == "%") {
    if (both.base != Base::integer && both.base != Base::dim)
      fail("type", e.span, "'" + op + "' needs integers, not " + quoted(both), "write floor(a / b)");
    return both;
  }
  if (op == "**" && may_be_unknown(both)) fail("type", e.span, "'**' needs numbers known while converting");
  return both;
}

}  // namespace opgen
