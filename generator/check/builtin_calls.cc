// Calls of built-in functions.
#include "generator/check/expressions.h"

#include <algorithm>

#include "generator/check/builtins.h"
#include "generator/check/expression_text.h"
#include "generator/diagnostics/text.h"

namespace opgen {

Type ExpressionChecker::builtin_call(Expr& e, Scope& scope, OpsetRange& range) {
  const Builtin& b = *find_builtin(e.text);
  const std::string name = b.name;
  const auto n = static_cast<int>(e.args.size());
  if (!e.keywords.empty())
    fail("arguments", e.keywords[0].span, "'" + name + "' takes no named arguments", b.signature);
  if (n < b.least || (b.most >= 0 && n > b.most)) {
    fail("arguments", e.span, "wrong number of arguments for '" + name + "'", b.signature);
    for (const ExprPtr& a : e.args) check(*a, scope, range);
    return {};
  }
  if (name == "lengths" && n > 1) check_as(*e.args[1], one(Base::integer), scope, range, "the level");
  if (name == "used" || name == "has" || name == "is_complex" || name == "lengths" || name == "lod" ||
      name == "lod_level" || (is_declared(name) && is_unassigned(*e.args[0], scope)))
    return about_slot(e, b, scope);
  if (name == "since") return since(e);
  std::vector<Type> t;
  for (const ExprPtr& a : e.args) t.push_back(check(*a, scope, range));
  if (name == "target_has" && (e.args[0]->kind != Expr::Kind::string || !onnx_.exists(e.args[0]->text)))
    fail("arguments", e.args[0]->span,
         "'target_has' needs the name of an ONNX operator in quotes" + did_you_mean(e.args[0]->text, onnx_.names()),
         b.signature);
  if (std::any_of(t.begin(), t.end(), [](const Type& x) { return is_unknown(x); })) {
    if (name == "rank" || name == "len") return one(Base::integer);
    return {};
  }
  for (size_t i = 0; i < t.size(); ++i)
    if (wants_tensor(b, i)) need(*e.args[i], "'" + name + "'");
  if (name == "min" || name == "max") return extreme(e, b, t);
  if (name == "zip" || name == "enumerate") {
    fail("arguments", e.span, "'" + name + "' is allowed only behind 'in' of a 'for'", b.signature);
    return {};
  }
  if (name == "constant" && (t[0].base == Base::dim || t[0].base == Base::scalar || t[0].base == Base::tensor))
    fail("type", e.args[0]->span, "a constant's elements must be known while converting, but this is " + quoted(t[0]),
         "use tensor(...)");
  if (name == "known" && e.args[0]->kind == Expr::Kind::call && e.args[0]->text == "rank") return one(Base::boolean);
  if (name == "known" && !may_be_unknown(t[0])) {
    fail("type", e.args[0]->span, "the argument is always known: " + quoted(t[0]), b.signature);
    return one(Base::boolean);
  }
  return form(e, b, t);
}

/// The type of the form that takes these arguments.
Type ExpressionChecker::form(const Expr& e, const Builtin& b, const std::vector<Type>& t) {
  if (const Operation* operation = find_form(b, t)) {
    Type result = result_type(*operation, t);
    result.may_be_dynamic = (e.text == "all" || e.text == "any") && t[0].may_be_dynamic;
    return result;
  }
  const Misfit misfit = find_misfit(b, t);
  const std::string node = capitalised(e.text);
  if (b.otherwise != nullptr && is_tensorish(t[0]))
    fail("type", e.span, "'" + e.text + "' needs numbers known while converting", b.otherwise);
  else
    fail("type", misfit.wanted.empty() ? e.span : e.args[misfit.index]->span,
         "argument " + std::to_string(misfit.index + 1) + " of '" + e.text + "' must be " + misfit.wanted +
             ", but this is " + quoted(t[misfit.index]),
         b.signature +
             (is_tensorish(t[misfit.index]) && onnx_.exists(node) ? "; for tensors write " + node + "(X)" : ""));
  return result_type(b.forms.back(), t);
}

/// A release of Paddle is written like a number, and found by how it is written.
Type ExpressionChecker::since(Expr& e) {
  Expr& release = *e.args[0];
  release.type = one(Base::integer);
  const size_t at = facts_.releases.find(release.source);
  if (release.kind != Expr::Kind::floating) {
    fail("arguments", release.span, "'since' needs a release of Paddle", "write since(3.0)");
  } else if (at == facts_.releases.size()) {
    unknown_release(release.source, release.span, facts_.releases, diagnostics_);
  } else {
    release.integer_value = facts_.releases[at].number;
    asked.try_emplace(release.source, e.span);
  }
  return one(Base::boolean);
}

/// What the program declares of an output, before a statement assigns it.
bool ExpressionChecker::is_declared(const std::string& builtin) { return builtin == "dtype" || builtin == "len"; }

bool ExpressionChecker::is_unassigned(const Expr& e, Scope& scope) {
  const Name* const n = e.kind == Expr::Kind::name ? scope.find(e.text) : nullptr;
  return n != nullptr && n->kind == Name::Kind::output && !n->assigned;
}

/// What asks about the name of an output or input, not about its value.
Type ExpressionChecker::about_slot(Expr& e, const Builtin& b, Scope& scope) {
  const std::string name = b.name;
  Expr& slot = *e.args[0];
  Name* what = slot.kind == Expr::Kind::name ? scope.find(slot.text) : nullptr;
  const bool output = name == "used" || is_declared(name);
  const auto is = [&](Name::Kind kind) { return what != nullptr && what->kind == kind; };
  const bool given = is(Name::Kind::param) || is(Name::Kind::parameter) || is(Name::Kind::attr) ||
                     ((is(Name::Kind::variable) || is(Name::Kind::let)) && what->type.optional);
  const bool fits = output ? is(Name::Kind::output) : is(Name::Kind::input) || (name == "has" && given);
  const std::string wanted = output ? "output" : name == "has" ? "input, attribute or parameter" : "input";
  if (!fits) fail("arguments", slot.span, "'" + name + "' needs the name of an " + wanted, b.signature);
  else if (what->read != nullptr) *what->read = true;
  if (fits && !output) slot.type = what->type;
  if (fits) slot.subject = what->kind;
  if (name == "len" || name == "lod_level") return one(Base::integer);
  if (name == "lod" || (name == "lengths" && fits && what->type.list)) return list_of(Base::tensor);
  if (name == "lengths") return one(Base::tensor);
  return name == "dtype" ? one(Base::dtype) : one(Base::boolean);
}

/// min and max, of any number of numbers or of a list.
Type ExpressionChecker::extreme(const Expr& e, const Builtin& b, const std::vector<Type>& t) {
  Type all = t[0].list && t.size() == 1 ? one(t[0].base) : t[0];
  for (size_t i = 1; i < t.size(); ++i) all = unify(all, t[i]);
  if (!is_number(all)) {
    fail("type", e.span, "'" + e.text + "' needs numbers",
         std::string(b.signature) + "; for tensors write " + (e.text == "min" ? "Min" : "Max") + "(X, Y)");
    return {};
  }
  if (all.base == Base::scalar)
    fail("type", e.span, "'" + e.text + "' of floats known only at run time is not supported");
  else if (all.base == Base::dim && t[0].list && t.size() == 1)
    fail("type", e.span, "'" + e.text + "' of a list of sizes is not supported",
         "write them one by one: " + e.text + "(sizes[0], sizes[1])");
  return all;
}

}  // namespace opgen
