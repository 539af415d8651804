// Calls of Paddle's operators, in specs of ONNX to Paddle.
#include "generator/check/expressions.h"

#include <algorithm>

#include "generator/check/builtins.h"
#include "generator/check/expression_text.h"
#include "generator/check/fluid_call.h"
#include "generator/diagnostics/text.h"

namespace opgen {

Type ExpressionChecker::fluid_call(Expr& e, Scope& scope, OpsetRange& range, size_t results) {
  if (!emits_paddle) fluid_at = e.span;
  emits_paddle = true;
  const std::string op = fluid_operator(e.text);
  const auto found = facts_.ops.find(op);
  if (found == facts_.ops.end()) {
    fail(
        "unknown-operator", e.span,
        "Paddle " + facts_.oldest_release() + " has no operator '" + op + "'" + did_you_mean(op, names_of(facts_.ops)));
    for (const ExprPtr& a : e.args) check(*a, scope, range);
    for (const Keyword& k : e.keywords) check(*k.value, scope, range);
    return one(Base::tensor);
  }
  const OpFact& fact = found->second;
  e.fluid = &fact;
  if (e.args.size() > fact.inputs.size())
    fail("operand", e.span,
         op + " takes at most " + counted(fact.inputs.size(), "operand") + ", but " + std::to_string(e.args.size()) +
             " are given",
         "attributes are given by name");
  // From here on all arguments have names.
  std::vector<Keyword> keywords;
  for (size_t i = 0; i < std::min(e.args.size(), fact.inputs.size()); ++i)
    if (e.args[i]->kind != Expr::Kind::omitted) keywords.push_back({fact.inputs[i].name, e.args[i]->span, e.args[i]});
  for (Keyword& k : e.keywords) {
    if (std::any_of(keywords.begin(), keywords.end(), [&](const Keyword& other) { return other.name == k.name; }))
      fail("operand", k.span, "'" + k.name + "' of " + op + " is given twice");
    keywords.push_back(k);
  }
  e.args.clear();
  e.keywords = keywords;
  for (Keyword& k : e.keywords) fluid_argument(k, fact, op, scope, range);
  const auto given = [&](const std::string& name) {
    return std::any_of(e.keywords.begin(), e.keywords.end(), [&](const Keyword& k) { return k.name == name; });
  };
  for (const SlotFact& slot : fact.inputs)
    if (!slot.optional && !slot.list && !slot.extra && !given(slot.name))
      fail("operand", e.span, op + " needs its operand '" + slot.name + "'");
  const bool listed = given("results");
  if (!listed && results > fact.outputs.size())
    fail("results", e.span, op + " has " + counted(fact.outputs.size(), "result") + ", but " + taken(results));
  return listed ? list_of(Base::tensor) : one(Base::tensor);
}

void ExpressionChecker::fluid_argument(Keyword& k, const OpFact& op, const std::string& name, Scope& scope,
                                       OpsetRange& range) {
  Expr& value = *k.value;
  if (k.name == "results") return check_as(value, one(Base::integer), scope, range, "'results'");
  const FluidArgument argument = opgen::fluid_argument(op, k.name);
  const Type have = check(value, scope, range);
  using Kind = FluidArgument::Kind;
  switch (argument.kind) {
    case Kind::none: {
      std::vector<std::string> known = names_of(op.inputs);
      for (const std::string& a : op.attr_names()) known.push_back(a);
      fail("unknown-attribute", k.span,
           name + " has no operand or attribute '" + k.name + "'" + did_you_mean(k.name, known),
           "the attributes and operands are " + joined(known));
      return;
    }
    case Kind::slot:
    case Kind::list: {
      const bool tensors = argument.kind == Kind::list && have.list && have.base == Base::tensor;
      const bool fits = converts(have, one(Base::operand)) && have.base != Base::string && have.base != Base::dtype &&
                        !(have.list && have.base == Base::tensor);
      if (!tensors && !fits && !is_unknown(have)) {
        fail("type", value.span,
             "operand '" + k.name + "' of " + name + " must be a tensor or numbers, but this is " + quoted(have));
        return;
      }
      if (!argument.slot->optional) need(value, "operand '" + k.name + "' of " + name);
      return;
    }
    case Kind::param:
    case Kind::attr:
      if (!converts(have, argument.type))
        fail("type", value.span,
             "attribute '" + k.name + "' of " + name + " must be " + quoted(argument.type) + ", but this is " +
                 quoted(have));
  }
}

}  // namespace opgen
