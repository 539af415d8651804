#include "generator/check/expressions.h"

#include <algorithm>

#include "generator/check/builtins.h"
#include "generator/check/expression_text.h"
#include "generator/expr/habits.h"

namespace opgen {

void ExpressionChecker::narrow(OpsetRange& range, int first, int last, const Span& span, const std::string& what,
                               const std::string& older) {
  if (first > limit.first)
    fail("opset", span,
         what + " needs opset " + std::to_string(first) + ", but the variant promises " + std::to_string(limit.first),
         older.empty() ? "write 'opset: " + std::to_string(first) + "+', or remove 'opset' to infer it"
                       : "write '" + older + "' for the meaning before that opset");
  if (last < limit.last && limit.first > 7 && last < limit.first)
    fail("opset", span,
         what + " ends with opset " + std::to_string(last) + ", but the variant begins at " +
             std::to_string(limit.first));
  if (first > range.first) {
    range.first = first;
    range.why_first = what;
  }
  range.last = std::min(range.last, last);
}

Type ExpressionChecker::check(Expr& e, Scope& scope, OpsetRange& range, size_t results) {
  switch (e.kind) {
    case Expr::Kind::integer: e.type = one(Base::integer); break;
    case Expr::Kind::floating: e.type = one(Base::floating); break;
    case Expr::Kind::string: e.type = one(Base::string); break;
    case Expr::Kind::boolean: e.type = one(Base::boolean); break;
    case Expr::Kind::omitted: e.type = one(Base::omitted); break;
    case Expr::Kind::name: e.type = name(e, scope); break;
    case Expr::Kind::list: e.type = list(e, scope, range); break;
    case Expr::Kind::unary: e.type = unary(e, scope, range); break;
    case Expr::Kind::binary: e.type = binary(e, scope, range); break;
    case Expr::Kind::conditional: e.type = choice(e, scope, range); break;
    case Expr::Kind::call: e.type = call(e, scope, range, results); break;
    case Expr::Kind::index: e.type = element(e, scope, range); break;
    case Expr::Kind::slice: e.type = part(e, scope, range); break;
    case Expr::Kind::comprehension: e.type = comprehension(e, scope, range); break;
  }
  return e.type;
}

Type ExpressionChecker::list(Expr& e, Scope& scope, OpsetRange& range) {
  Type element;
  for (const ExprPtr& item : e.args) {
    const Type t = check(*item, scope, range);
    need(*item, "a list");
    const Type both = unify(element, t);
    if (is_unknown(both) && !is_unknown(element) && !is_unknown(t))
      fail("type", item->span,
           "elements of a list must have one type, but " + quoted(t) + " follows " + quoted(element));
    else if (t.list) {
      fail("type", item->span, "lists of lists are not supported",
           "join lists with '+', or iterate over several: for x, y in zip(xs, ys)");
      return {};  // avoids a second report for the next list
    }
    element = both;
  }
  // A list of unknown contents is not empty.
  return is_unknown(element) && !e.args.empty() ? Type{} : list_of(element.base);
}

Type ExpressionChecker::choice(Expr& e, Scope& scope, OpsetRange& range) {
  check_condition(*e.args[1], scope, range);
  const std::set<std::string> outside = scope.known;
  learn(*e.args[1], scope);
  const Type a = check(*e.args[0], scope, range);
  scope.known = outside;
  learn_not(*e.args[1], scope);
  const Type b = check(*e.args[2], scope, range);
  scope.known = outside;
  const Type both = unify(a, b);
  if (is_unknown(both) && !is_unknown(a) && !is_unknown(b))
    fail("type", e.span, "both sides of a choice must have one type, but they are " + quoted(a) + " and " + quoted(b));
  return both;
}

Type ExpressionChecker::element(Expr& e, Scope& scope, OpsetRange& range) {
  const Type list = check(*e.args[0], scope, range);
  check_as(*e.args[1], one(Base::integer), scope, range, "index");
  if (list.list || is_unknown(list)) return one(list.base);
  fail("type", e.span, "only lists can be indexed, not " + quoted(list),
       is_tensorish(list) ? "write Gather or Slice for a tensor" : "");
  return {};
}

Type ExpressionChecker::part(Expr& e, Scope& scope, OpsetRange& range) {
  const Type list = check(*e.args[0], scope, range);
  for (size_t i = 1; i < 3; ++i)
    if (e.args[i]) check_as(*e.args[i], one(Base::integer), scope, range, "bound");
  if (!list.list && !is_unknown(list))
    fail("type", e.span, "only lists can be sliced, not " + quoted(list), "write Slice for a tensor");
  return list;
}

void ExpressionChecker::check_as(Expr& e, const Type& want, Scope& scope, OpsetRange& range, const std::string& what) {
  const Type have = check(e, scope, range);
  if (converts(have, want)) return;
  fail("type", e.span, what + " must be " + quoted(want) + ", but this is " + quoted(have), way_out(have, want));
}

Type ExpressionChecker::name(Expr& e, Scope& scope) {
  if (Name* n = scope.find(e.text)) {
    if (n->read != nullptr) *n->read = true;
    if (n->kind == Name::Kind::output && !n->assigned) {
      fail("unknown-name", e.span, "output '" + e.text + "' is read before it is assigned");
      return {};
    }
    Type type = n->type;
    if (scope.known.count("has " + key(e, scope)) > 0 || scope.known.count(kBrokenCondition) > 0) type.optional = false;
    return type;
  }
  const Type constant = builtin_constant(e.text);
  if (!is_unknown(constant)) {
    e.constant = true;
    return constant;
  }
  unknown_name(e, scope);
  return {};
}

void ExpressionChecker::unknown_name(const Expr& e, const Scope& scope) {
  if (const auto lost = scope.lost.find(e.text); lost != scope.lost.end()) {
    fail("unknown-name", e.span, "'" + e.text + "' is assigned only in " + lost->second.within,
         "assign it on every path, or before the branch")
        .notes.emplace_back(lost->second.place, "assigned here");
    return;
  }
  std::vector<std::string> known = scope.names();
  for (const std::string& c : builtin_constant_names()) known.push_back(c);
  std::string help = word_habit(e.text);
  if (!help.empty()) known.clear();
  if (find_builtin(e.text) != nullptr || functions_.count(e.text) > 0) help = "'" + e.text + "' is a function: call it";
  if (help.empty())
    help =
        "list operands under 'inputs', attributes under 'attrs' or 'params', and anything else under 'let'; a text "
        "needs quotes: \"" +
        e.text + "\"";
  fail("unknown-name", e.span, "unknown name '" + e.text + "'" + did_you_mean(e.text, known), help);
}

Type ExpressionChecker::tensor_operator(Expr& e, const char* op, OpsetRange& range) {
  const OnnxGroup* group = onnx_.find(op, 0);
  groups_.insert(group);
  narrow(range, group->first, group->last, e.span, op);
  return one(Base::tensor);
}

void ExpressionChecker::need(const Expr& e, const std::string& who) {
  if (!e.type.optional) return;
  const bool named = e.kind == Expr::Kind::name;
  fail("optional", e.span,
       (named ? "operand '" + e.text + "'" : std::string("this")) + " may be absent, but " + who + " needs it",
       named ? "guard it with has(" + e.text + ")" : "write both sides of the choice");
}

std::vector<Type> ExpressionChecker::iteration_types(Expr& source, size_t names, const Span& names_span, Scope& scope,
                                                     OpsetRange& range) {
  std::vector<Type> elements;
  const auto walk = [&](Expr& list) {
    const Type t = check(list, scope, range);
    if (!t.list && !is_unknown(t)) fail("type", list.span, "'for' needs a list, not " + quoted(t));
    elements.push_back(one(t.base));
  };
  if (source.kind == Expr::Kind::call && (source.text == "zip" || source.text == "enumerate")) {
    const Builtin& b = *find_builtin(source.text);
    const auto n = static_cast<int>(source.args.size());
    if (n < b.least || (b.most >= 0 && n > b.most)) {
      fail("arguments", source.span, "wrong number of arguments for '" + source.text + "'", b.signature);
      return std::vector<Type>(names);
    }
    if (source.text == "enumerate") elements.push_back(one(Base::integer));
    for (const ExprPtr& list : source.args) walk(*list);
  } else {
    walk(source);
  }
  if (elements.size() != names)
    fail("arguments", names_span, std::to_string(names) + " names for " + std::to_string(elements.size()) + " values");
  elements.resize(names);
  return elements;
}

Type ExpressionChecker::comprehension(Expr& e, Scope& scope, OpsetRange& range) {
  Expr& source = *e.args[1];
  const std::vector<Type> elements = iteration_types(source, e.vars.size(), e.span, scope, range);
  scope.push();
  for (size_t i = 0; i < e.vars.size(); ++i) scope.define(e.vars[i], {Name::Kind::variable, elements[i], nullptr});
  const std::set<std::string> outside = scope.known;
  bool source_known = true;
  if (source.kind == Expr::Kind::call && (source.text == "zip" || source.text == "enumerate")) {
    for (const ExprPtr& a : source.args) source_known = source_known && is_known(*a, scope);
  } else {
    source_known = is_known(source, scope);
  }
  if (source_known)
    for (const std::string& v : e.vars) scope.known.insert(v + "#" + std::to_string(scope.find(v)->version));
  if (e.args[2]) {
    check_condition(*e.args[2], scope, range);
    learn(*e.args[2], scope);
  }
  Type element = check(*e.args[0], scope, range);
  e.elements_known = source_known && is_known(*e.args[0], scope);
  scope.known = outside;
  scope.pop();
  if (e.nested) {
    e.elements_known = source_known && e.args[0]->elements_known;
    element.list = false;
  }
  if (element.list) {
    fail("type", e.args[0]->span, "lists of lists are not supported");
    element.list = false;
  }
  if (is_unknown(element) && !is_empty_list(source.type)) return {};
  return {element.base, true, false, element.may_be_dynamic};
}

}  // namespace opgen
