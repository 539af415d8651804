#include "generator/lower/make.h"

#include <algorithm>
#include <limits>
#include <map>
#include <stdexcept>

#include "generator/lower/fold.h"

namespace opgen::lowered {
namespace {

using K = Expr::Kind;

ExprPtr make(K kind, const Type& type, std::vector<ExprPtr> args = {}) {
  auto e = std::make_shared<Expr>();
  e->kind = kind;
  e->type = type;
  for (const ExprPtr& a : args) e->effect = worse(e->effect, a->effect);
  e->args = std::move(args);
  return e;
}

std::vector<Type> types_of(const std::vector<ExprPtr>& list) {
  std::vector<Type> types;
  for (const ExprPtr& e : list) types.push_back(e->type);
  return types;
}

/// Types in which a number goes from one to the other, one conversion each.
std::vector<Type> steps(const Type& from, const Type& to) {
  const auto type = [&](Base base) { return Type{base, to.list}; };
  if (from.base == Base::integer && to.base == Base::scalar && !to.list) return {type(Base::floating), to};
  if (from.base == Base::dim && to.base == Base::floating) return {type(Base::integer), to};
  if (to.base == Base::tensor && !to.list && from.base != Base::operand) return {one(Base::operand), to};
  return {to};
}

ExprPtr convert_once(const ExprPtr& e, const Type& to, const std::string& subject) {
  const Operation* conversion = find_conversion(e->type, to);
  if (conversion == nullptr) return e;
  if (to.base == Base::floating && !to.list)
    if (const auto* number = std::get_if<int64_t>(&e->literal); e->kind == K::constant && number != nullptr)
      return make_constant(static_cast<double>(*number));
  ExprPtr out = make(K::operation, to, {e});
  out->operation = conversion;
  out->subject = subject;
  // A number that is known has emitted nothing.
  if (conversion->effect == Effect::refuses && out->effect == Effect::computes) out->effect = Effect::refuses;
  out->effect = worse(out->effect, conversion->effect);
  return out;
}

}  // namespace

Statement make_statement(Statement::Kind kind) {
  Statement s;
  s.kind = kind;
  return s;
}

ExprPtr make_constant(Literal literal) {
  static constexpr Base bases[] = {Base::boolean, Base::integer, Base::floating, Base::string, Base::dtype};
  ExprPtr e = make(K::constant, one(bases[literal.index()]));
  e->literal = std::move(literal);
  return e;
}

ExprPtr make_variable(const VariablePtr& variable) {
  ExprPtr e = make(K::variable, variable->type);
  e->variable = variable;
  return e;
}

ExprPtr make_omitted(Base base) { return make(K::omitted, one(base)); }

ExprPtr make_list(const Type& type, std::vector<ExprPtr> items) { return make(K::list, type, std::move(items)); }

ExprPtr make_operation(const Operation& operation, std::vector<ExprPtr> args, const std::string& subject) {
  if (ExprPtr known = fold(operation, args)) return known;
  if (std::string("$1") == operation.cpp) return args[0];
  const Type type = result_type(operation, types_of(args));
  ExprPtr e = make(K::operation, type, std::move(args));
  e->operation = &operation;
  e->effect = worse(e->effect, operation.effect);
  e->subject = subject;
  return e;
}

ExprPtr make_operation(const std::string& name, std::vector<ExprPtr> args, const std::string& subject) {
  const Operation* operation = find_operation(name, types_of(args));
  if (operation == nullptr) throw std::logic_error("no operation '" + name + "' of these types");
  return make_operation(*operation, std::move(args), subject);
}

std::optional<bool> truth(const ExprPtr& e) {
  const auto* value = e && e->kind == K::constant ? std::get_if<bool>(&e->literal) : nullptr;
  return value == nullptr ? std::nullopt : std::optional(*value);
}

ExprPtr make_not(const ExprPtr& e) {
  static const std::map<std::string_view, const char*> opposites{
      {"==", "!="}, {"!=", "=="}, {"in", "not_in"}, {"not_in", "in"}, {"filled", "empty"}, {"empty", "filled"}};
  if (e->kind == K::operation && e->operation->name == "not") return e->args[0];
  if (e->kind == K::operation)
    if (const auto other = opposites.find(e->operation->name); other != opposites.end())
      return make_operation(other->second, e->args, e->subject);
  return make_operation("not", {e});
}

ExprPtr make_both(const ExprPtr& a, const ExprPtr& b) {
  if (const auto known = truth(a)) return *known ? b : a;
  if (truth(b) == true) return a;
  if (truth(b) == false && a->effect == Effect::none) return b;
  return make(K::both, one(Base::boolean), {a, b});
}

ExprPtr make_either(const ExprPtr& a, const ExprPtr& b) {
  if (const auto known = truth(a)) return *known ? a : b;
  if (truth(b) == false) return a;
  if (truth(b) == true && a->effect == Effect::none) return b;
  return make(K::either, one(Base::boolean), {a, b});
}

ExprPtr make_choice(const ExprPtr& condition, const ExprPtr& a, const ExprPtr& b) {
  if (const auto known = truth(condition)) return *known ? a : b;
  return make(K::choice, a->type, {condition, a, b});
}

ExprPtr make_conversion(const ExprPtr& e, const Type& want, const std::string& subject) {
  if (is_unknown(want) || (e->type.base == want.base && e->type.list == want.list)) return e;
  if (e->kind == K::omitted) return make_omitted(want.base);
  if (e->kind == K::list && want.list) {
    std::vector<ExprPtr> items;
    for (const ExprPtr& item : e->args) items.push_back(make_conversion(item, one(want.base), subject));
    return make_list(want, std::move(items));
  }
  if (e->kind == K::choice)
    return make_choice(e->args[0], make_conversion(e->args[1], want, subject),
                       make_conversion(e->args[2], want, subject));
  ExprPtr out = e;
  for (const Type& step : steps(e->type, want)) out = convert_once(out, step, subject);
  return out;
}

}  // namespace opgen::lowered
