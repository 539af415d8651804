// Calls of ONNX operators: operands and attributes as the schemas have them, and the opsets that they need.
#include "generator/check/expressions.h"

#include <algorithm>
#include <cctype>

#include "generator/check/builtins.h"
#include "generator/check/expression_text.h"
#include "generator/diagnostics/text.h"

namespace opgen {

void ExpressionChecker::unknown_onnx(const Expr& e) {
  if (e.version != 0 && onnx_.exists(e.text)) {
    const auto version = [&](int v) { return e.text + "@" + std::to_string(v); };
    fail("unknown-operator", e.span, "'" + e.text + "' has no version " + std::to_string(e.version),
         "the versions are " + joined(onnx_.versions(e.text), version));
  } else {
    std::string small = e.text;
    small[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(small[0])));
    const bool function = find_builtin(small) != nullptr || functions_.count(small) > 0;
    fail("unknown-operator", e.span,
         "ONNX has no operator '" + e.text + "'" + (function ? "" : did_you_mean(e.text, onnx_.names())),
         function ? "write the function as '" + small + "'" : "");
  }
}

/// Operands that are given by name move to their places.
void ExpressionChecker::place_operands(Expr& e, const OnnxVersion& newest, Scope& scope, OpsetRange& range) {
  std::vector<ExprPtr> operands = e.args;
  std::vector<Keyword> attrs;
  for (Keyword& k : e.keywords) {
    const auto input = std::find_if(newest.inputs.begin(), newest.inputs.end(),
                                    [&](const OnnxOperand& o) { return o.name == k.name; });
    if (k.name == "results") {
      check_as(*k.value, one(Base::integer), scope, range, "'results'");
      attrs.push_back(k);
      continue;
    }
    if (input == newest.inputs.end()) {
      attrs.push_back(k);
      continue;
    }
    const auto position = static_cast<size_t>(input - newest.inputs.begin());
    while (operands.size() <= position) operands.push_back(std::make_shared<Expr>());
    if (operands[position]->kind != Expr::Kind::omitted)
      fail("operand", k.span, "operand '" + k.name + "' of " + e.text + " is given twice");
    operands[position] = k.value;
  }
  e.args = std::move(operands);
  e.keywords = std::move(attrs);
}

void ExpressionChecker::onnx_operands(const Expr& e, const OnnxGroup& group, Scope& scope, OpsetRange& range) {
  const OnnxVersion& newest = group.newest();
  const bool variadic = !newest.inputs.empty() && newest.inputs.back().variadic;
  if (!variadic && e.args.size() > newest.inputs.size()) {
    fail("operand", e.args[newest.inputs.size()]->span,
         e.text + " takes at most " + std::to_string(newest.inputs.size()) + " operands, but " +
             std::to_string(e.args.size()) + " are given",
         "attributes are given by name");
  }
  for (size_t i = 0; i < newest.inputs.size(); ++i) {
    const OnnxOperand& formal = newest.inputs[i];
    if (formal.variadic) continue;
    if ((i >= e.args.size() || e.args[i]->kind == Expr::Kind::omitted) && !formal.optional)
      fail("operand", e.span, e.text + " needs its operand '" + formal.name + "'");
  }
  for (size_t i = 0; i < e.args.size(); ++i) {
    Expr& operand = *e.args[i];
    const Type t = check(operand, scope, range);
    const OnnxOperand* formal = i < newest.inputs.size() ? &newest.inputs[i]
                                : variadic               ? &newest.inputs.back()
                                                         : nullptr;
    if (formal == nullptr) continue;
    if (formal->variadic && t.list && (t.base == Base::tensor || t.base == Base::operand)) continue;
    if (!converts(t, one(Base::operand)) || t.base == Base::string || t.base == Base::dtype ||
        (t.list && t.base == Base::tensor)) {
      fail("type", operand.span,
           "operand '" + formal->name + "' of " + e.text + " must be a tensor or numbers, but this is " + quoted(t),
           t.list ? "pass a list of tensors only to a variadic operator" : "");
    }
    if (!formal->optional) need(operand, "operand '" + formal->name + "' of " + e.text);
    if (operand.kind == Expr::Kind::omitted) continue;
    for (const Adaptation& a : group.adaptations)
      if (a.kind == Adaptation::Kind::input_added && a.index == i && !formal->variadic && !t.optional &&
          t.base != Base::operand)
        narrow(range, a.since, group.last, operand.span, "operand '" + formal->name + "' of " + e.text);
  }
}

void ExpressionChecker::onnx_attributes(const Expr& e, const OnnxGroup& group, Scope& scope, OpsetRange& range) {
  const OnnxVersion& newest = group.newest();
  for (const Keyword& k : e.keywords) {
    if (k.name == "results") continue;
    const auto attr = newest.attrs.find(k.name);
    if (attr == newest.attrs.end()) {
      std::vector<std::string> known = names_of(newest.attrs);
      for (const OnnxOperand& o : newest.inputs) known.push_back(o.name);
      fail("unknown-attribute", k.span,
           e.text + " has no attribute or operand '" + k.name + "'" + did_you_mean(k.name, known),
           "the attributes and operands are " + joined(known));
      check(*k.value, scope, range);
      continue;
    }
    const Type want = attr->second.value_type();
    const Type have = check(*k.value, scope, range);
    const bool flag = want.base == Base::integer && !want.list && !have.list &&
                      (have.base == Base::boolean || have.base == Base::dtype);
    if (!flag && !converts(have, want))
      fail("type", k.value->span,
           "attribute '" + k.name + "' of " + e.text + " must be " + quoted(want) + ", but this is " + quoted(have),
           names_dtype(*k.value) ? bare_dtype(*k.value) : way_out(have, want));
    narrow_by_attribute(k, group, e.text, range);
  }
  for (const auto& [name, attr] : newest.attrs) {
    if (!attr.required) continue;
    const bool given =
        std::any_of(e.keywords.begin(), e.keywords.end(), [&, n = &name](const Keyword& k) { return k.name == *n; });
    if (!given) fail("operand", e.span, e.text + " needs its attribute '" + name + "'");
  }
}

/// What came later: an attribute that does not say its default, or one of its values.
void ExpressionChecker::narrow_by_attribute(const Keyword& k, const OnnxGroup& group, const std::string& op,
                                            OpsetRange& range) {
  for (const Adaptation& a : group.adaptations) {
    if (a.name != k.name) continue;
    const Expr& v = *k.value;
    if (a.kind == Adaptation::Kind::value_added && v.kind == Expr::Kind::string && v.text == a.value)
      narrow(range, a.since, group.last, v.span, "'" + k.name + "=\"" + a.value + "\"' of " + op);
    if (a.kind != Adaptation::Kind::attr_added) continue;
    const bool literal = v.kind == Expr::Kind::integer || v.kind == Expr::Kind::boolean || v.kind == Expr::Kind::string;
    const bool is_default =
        (a.default_value.is_number_integer() && (v.kind == Expr::Kind::integer || v.kind == Expr::Kind::boolean) &&
         a.default_value == v.integer_value) ||
        (a.default_value.is_string() && a.default_value == v.text);
    if (literal && !is_default) narrow(range, a.since, group.last, k.span, "attribute '" + k.name + "' of " + op);
  }
}

Type ExpressionChecker::onnx_results(const Expr& e, const OnnxVersion& newest, size_t results) {
  const bool variadic_result = !newest.outputs.empty() && newest.outputs.back().variadic;
  if (!variadic_result && results > newest.outputs.size())
    fail("results", e.span, e.text + " has " + counted(newest.outputs.size(), "result") + ", but " + taken(results));
  const auto needed = static_cast<size_t>(std::count_if(
      newest.outputs.begin(), newest.outputs.end(), [](const OnnxOperand& o) { return !o.optional && !o.variadic; }));
  if (results < needed)
    fail("results", e.span, e.text + " has " + counted(needed, "result") + ", but " + taken(results), kNameEach);
  const auto count =
      std::find_if(e.keywords.begin(), e.keywords.end(), [](const Keyword& k) { return k.name == "results"; });
  const bool counted = count != e.keywords.end();
  if (counted && results > 1)
    fail("results", count->span,
         "'results' makes one list of the results, but " + std::to_string(results) + " names take them",
         "remove 'results', or assign the list to one name");
  return counted ? list_of(Base::tensor) : one(Base::tensor);
}

Type ExpressionChecker::onnx_call(Expr& e, Scope& scope, OpsetRange& range, size_t results) {
  const OnnxGroup* group = onnx_.find(e.text, e.version);
  if (group == nullptr) {
    unknown_onnx(e);
    for (const ExprPtr& a : e.args) check(*a, scope, range);
    for (const Keyword& k : e.keywords) check(*k.value, scope, range);
    return {};
  }
  if (group->has_subgraphs) {
    fail("unknown-operator", e.span, "'" + e.text + "' has a body and cannot be called",
         "write 'loop:', or 'if:' with a tensor");
    return {};
  }
  groups_.insert(group);
  std::string older;
  for (const int v : onnx_.versions(e.text))
    if (v < group->first) older = e.text + "@" + std::to_string(v);
  narrow(range, group->first, group->last, e.span, e.text + (e.version != 0 ? "@" + std::to_string(e.version) : ""),
         older);
  place_operands(e, group->newest(), scope, range);
  onnx_operands(e, *group, scope, range);
  onnx_attributes(e, *group, scope, range);
  return onnx_results(e, group->newest(), results);
}

}  // namespace opgen
