#include "generator/check/expressions.h"

#include <algorithm>
#include <cctype>

#include "generator/check/builtins.h"
#include "generator/check/fluid_call.h"
#include "generator/diagnostics/text.h"
#include "generator/expr/habits.h"

namespace opgen {
namespace {

using K = Expr::Kind;

bool is_number(const Type& t) {
  return !t.list &&
         (t.base == Base::integer || t.base == Base::floating || t.base == Base::dim || t.base == Base::scalar);
}
bool may_be_unknown(const Type& t) { return t.base == Base::dim || t.base == Base::scalar; }

std::string quoted(const Type& t) { return "'" + type_name(t) + "'"; }

std::string counted(size_t n, const std::string& what) { return std::to_string(n) + " " + what + (n == 1 ? "" : "s"); }
std::string taken(size_t results) { return std::to_string(results) + (results == 1 ? " is taken" : " are taken"); }

constexpr const char* kNameEach = "name each result in a separate statement; '_' discards one";

/// 'float32', the name of a dtype in quotes.
bool names_dtype(const Expr& e) { return e.kind == K::string && builtin_constant(e.text).base == Base::dtype; }
std::string bare_dtype(const Expr& e) { return "dtypes are names: write " + e.text + " without quotes"; }

/// How to make what is wanted of what is there, where people look for it in vain; or "".
std::string way_out(const Type& have, const Type& want) {
  const auto is = [](const Type& t, Base base, bool list) { return t.base == base && t.list == list; };
  if (is(want, Base::tensor, false)) {
    if (is(have, Base::operand, false)) return "an operand may be a number: tensor(x, dtype(Y)) is a tensor of either";
    if (is(have, Base::tensor, true)) return "take one of the list, xs[0], or join them: Concat(xs, axis=0)";
    if (is(have, Base::dtype, false) || is(have, Base::string, false))
      return "Cast(X, to=...) changes a tensor's dtype";
  }
  if (is(want, Base::tensor, true) && is(have, Base::tensor, false)) return "a list of one is written [X]";
  if (is_tensorish(have)) {
    if (is(want, Base::dim, true)) return "dims_of(X) are the elements of a 1-D integer tensor, shape(X) its sizes";
    if (is(want, Base::dim, false) || is(want, Base::integer, false))
      return "dim_of(X) is the only element of an integer tensor, dim(X, i) the size of an axis";
    if (is(want, Base::integer, true))
      return "dims_of(X) are the elements, floats(X) those of a tensor for which is_const(X) holds";
    if (is(want, Base::floating, true)) return "floats(X) are the elements of a tensor for which is_const(X) holds";
    if (is(want, Base::dtype, false)) return "write dtype(X)";
  }
  if (is(want, Base::dtype, false) && (is(have, Base::string, false) || is(have, Base::integer, false)))
    return "dtypes are names: float32, int64, bool ...";
  if (is(want, Base::integer, false) && is(have, Base::floating, false))
    return "write int(x), floor(x) or floor(x + 0.5)";
  if (is(want, Base::boolean, false) && is_number(have)) return "compare it, as in 'x != 0'";
  if (want.list && !have.list && converts(have, one(want.base))) return "a list of one is written [x]";
  return "";
}

/// The comparison that makes a condition unknown: the leftmost one below 'and', 'or' and 'not'.
const Expr& unknown_part(const Expr& e) {
  const bool joins = (e.kind == K::binary && (e.text == "and" || e.text == "or")) || e.kind == K::unary;
  if (!joins) return e;
  for (const ExprPtr& a : e.args)
    if (a && a->type.may_be_dynamic) return unknown_part(*a);
  return e;
}

}  // namespace

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
    case K::integer: e.type = one(Base::integer); break;
    case K::floating: e.type = one(Base::floating); break;
    case K::string: e.type = one(Base::string); break;
    case K::boolean: e.type = one(Base::boolean); break;
    case K::omitted: e.type = one(Base::omitted); break;
    case K::name: e.type = name(e, scope); break;
    case K::list: e.type = list(e, scope, range); break;
    case K::unary: e.type = unary(e, scope, range); break;
    case K::binary: e.type = binary(e, scope, range); break;
    case K::conditional: e.type = choice(e, scope, range); break;
    case K::call: e.type = call(e, scope, range, results); break;
    case K::index: e.type = element(e, scope, range); break;
    case K::slice: e.type = part(e, scope, range); break;
    case K::comprehension: e.type = comprehension(e, scope, range); break;
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
  if (e.kind == K::name) {
    const Name* n = scope.find(e.text);
    return e.text + (n != nullptr ? "#" + std::to_string(n->version) : "");
  }
  if (e.args.empty() && e.keywords.empty() && e.kind != K::call)
    return e.kind == K::string ? '"' + e.text + '"' : e.kind == K::integer ? std::to_string(e.integer_value) : e.source;
  // Whether an output is used does not change with its value.
  if (e.kind == K::call && e.text == "used" && !e.args.empty()) return "used " + e.args[0]->text;
  std::string text = (e.kind == K::call ? "call " : "") + e.text + "(";
  for (const ExprPtr& a : e.args) text += (a ? key(*a, scope) : "") + ",";
  for (const Keyword& k : e.keywords) text += k.name + "=" + key(*k.value, scope) + ",";
  return text + ")";
}

std::optional<bool> ExpressionChecker::decided(const Expr& c, Scope& scope) const {
  if (scope.known.count(kBrokenCondition) > 0) return std::nullopt;
  if (c.kind == K::unary && c.text == "not") {
    const std::optional<bool> inner = decided(*c.args[0], scope);
    return inner ? std::optional(!*inner) : std::nullopt;
  }
  if (c.kind == K::binary && (c.text == "and" || c.text == "or")) {
    const bool strong = c.text == "or";  // one side with this value decides
    const std::optional<bool> a = decided(*c.args[0], scope), b = decided(*c.args[1], scope);
    if (a == strong || b == strong) return strong;
    return a && b ? std::optional(!strong) : std::nullopt;
  }
  if (scope.known.count("holds " + key(c, scope)) > 0) return true;
  if (scope.known.count("fails " + key(c, scope)) > 0) return false;
  if (c.kind != K::call || c.args.empty()) return std::nullopt;
  const Expr& what = *c.args[0];
  if (c.text == "known" && may_be_unknown(what.type) && is_known(what, scope)) return true;
  const bool given = what.kind == K::name && what.subject == NameKind::input && !what.type.optional && !what.type.list;
  if (c.text == "has" && given) return true;
  return std::nullopt;
}

void ExpressionChecker::note_condition(const Expr& c, Scope& scope, bool requires_it) {
  const std::optional<bool> value = decided(c, scope);
  const auto [found, is_new] = conditions_.try_emplace(
      {c.span.file ? c.span.file->path : "", c.span.line, c.span.column}, Condition{c.span, requires_it});
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
  if (c.kind == K::binary && c.text == "and") {
    learn(*c.args[0], scope);
    learn(*c.args[1], scope);
  } else if (c.kind == K::unary && c.text == "not") {
    learn_not(*c.args[0], scope);
  } else if (c.kind == K::call && c.text == "known" && !c.args.empty()) {
    const Expr& what = *c.args[0];
    scope.known.insert(key(what, scope));
    if (what.kind == K::call && what.text == "shape" && !what.args.empty())
      scope.known.insert("dim " + key(*what.args[0], scope));
  } else if (c.kind == K::call && c.text == "has" && !c.args.empty()) {
    scope.known.insert("has " + key(*c.args[0], scope));
  }
}

void ExpressionChecker::learn_not(const Expr& c, Scope& scope) const {
  scope.known.insert("fails " + key(c, scope));
  if (c.kind == K::binary && c.text == "or") {
    learn_not(*c.args[0], scope);
    learn_not(*c.args[1], scope);
  } else if (c.kind == K::unary && c.text == "not") {
    learn(*c.args[0], scope);
  }
}

bool ExpressionChecker::is_known(const Expr& e, Scope& scope) const {
  if (!may_be_unknown(e.type)) return true;
  if (scope.known.count(key(e, scope)) > 0 || scope.known.count(kBrokenCondition) > 0) return true;
  const auto all_known = [&](const ExprPtr& a) { return !a || is_known(*a, scope); };
  switch (e.kind) {
    case K::call:
      if (e.text == "dim" && !e.args.empty() && scope.known.count("dim " + key(*e.args[0], scope)) > 0) return true;
      if (e.text == "dim" || e.text == "shape" || e.text == "dim_of" || e.text == "dims_of" ||
          find_builtin(e.text) == nullptr)
        return false;
      return std::all_of(e.args.begin(), e.args.end(), all_known);
    case K::name: return false;
    case K::index:
    case K::slice: return is_known(*e.args[0], scope);
    case K::comprehension: return e.elements_known;
    case K::unary:
    case K::binary:
    case K::list:
    case K::conditional: return std::all_of(e.args.begin(), e.args.end(), all_known);
    default: return true;
  }
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
  const bool named = e.kind == K::name;
  fail("optional", e.span,
       (named ? "operand '" + e.text + "'" : std::string("this")) + " may be absent, but " + who + " needs it",
       named ? "guard it with has(" + e.text + ")" : "write both sides of the choice");
}

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
  std::vector<std::string> known;
  for (const auto& [name, function] : functions_) known.push_back(name);
  for (const Builtin& b : builtins()) known.push_back(b.name);
  std::string node = e.text;
  node[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(node[0])));
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
  std::vector<std::string> known;
  for (const auto& [name, requirement] : requirements) known.push_back(name);
  if (broken.count(e.text) == 0)
    fail("unknown-requirement", e.span, "the library has no requirement '" + e.text + "'" + did_you_mean(e.text, known),
         "write 'that: condition' and 'else: message' for other conditions");
}

void ExpressionChecker::unknown_onnx(const Expr& e) {
  if (e.version != 0 && onnx_.exists(e.text)) {
    std::string versions;
    for (int v : onnx_.versions(e.text)) versions += (versions.empty() ? "" : ", ") + e.text + "@" + std::to_string(v);
    fail("unknown-operator", e.span, "'" + e.text + "' has no version " + std::to_string(e.version),
         "the versions are " + versions);
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
    if (operands[position]->kind != K::omitted)
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
    if ((i >= e.args.size() || e.args[i]->kind == K::omitted) && !formal.optional)
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
    if (operand.kind == K::omitted) continue;
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
      std::vector<std::string> known;
      for (const auto& [name, a] : newest.attrs) known.push_back(name);
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
    if (a.kind == Adaptation::Kind::value_added && v.kind == K::string && v.text == a.value)
      narrow(range, a.since, group.last, v.span, "'" + k.name + "=\"" + a.value + "\"' of " + op);
    if (a.kind != Adaptation::Kind::attr_added) continue;
    const bool literal = v.kind == K::integer || v.kind == K::boolean || v.kind == K::string;
    const bool is_default = (a.default_value.is_number_integer() && (v.kind == K::integer || v.kind == K::boolean) &&
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
    fail("unknown-operator", e.span, "'" + e.text + "' has a body and cannot be called", "write 'loop:' or 'branch:'");
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

Type ExpressionChecker::fluid_call(Expr& e, Scope& scope, OpsetRange& range, size_t results) {
  if (!says_fluid) fluid_at = e.span;
  says_fluid = true;
  const std::string op = fluid_operator(e.text);
  const auto found = facts_.ops.find(op);
  if (found == facts_.ops.end()) {
    std::vector<std::string> known;
    for (const auto& [name, fact] : facts_.ops) known.push_back(name);
    fail("unknown-operator", e.span,
         "Paddle " + facts_.oldest_release() + " has no operator '" + op + "'" + did_you_mean(op, known));
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
    if (e.args[i]->kind != K::omitted) keywords.push_back({fact.inputs[i].name, e.args[i]->span, e.args[i]});
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
      std::vector<std::string> known;
      for (const SlotFact& s : op.inputs) known.push_back(s.name);
      for (const AttrFact& a : op.attrs)
        if (!a.extra) known.push_back(a.name);
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

std::vector<Type> ExpressionChecker::result_types(Expr& e, Scope& scope, OpsetRange& range, size_t results) {
  if (results == 1) return {check(e, scope, range)};
  if (e.kind != K::call || find_builtin(e.text) != nullptr) {
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
      std::vector<std::string> known;
      for (const Parameter& q : formal) known.push_back(q.name);
      fail("arguments", k.span, "'" + head.name + "' has no parameter '" + k.name + "'" + did_you_mean(k.name, known),
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
    if (formal[i].type.optional && args[i]->kind == K::omitted) continue;
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
  called.insert(f.head.name);
  if (f.head.results.size() != results && !f.head.results.empty())
    fail("results", e.span,
         "'" + e.text + "' gives " + counted(f.head.results.size(), "result") + ", but " + taken(results),
         results < f.head.results.size() ? kNameEach : "");
  e.args = arguments(e, f.head, f.spec->head, false, scope, range);
  e.keywords.clear();
  if (f.says_fluid && !says_fluid) fluid_at = e.span;
  says_fluid = says_fluid || f.says_fluid;
  narrow(range, f.range.first, f.range.last, e.span,
         "'" + f.head.name + "'" + (f.range.why_first.empty() ? "" : " (" + f.range.why_first + ")"));
  return f.head.results.empty() ? Type{} : f.head.results[0].type;
}

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
  if (name == "known" && e.args[0]->kind == K::call && e.args[0]->text == "rank") return one(Base::boolean);
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
  std::string node = e.text;
  node[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(node[0])));
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
  if (release.kind != K::floating) {
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
  const Name* const n = e.kind == K::name ? scope.find(e.text) : nullptr;
  return n != nullptr && n->kind == Name::Kind::output && !n->assigned;
}

/// What asks about the name of an output or input, not about its value.
Type ExpressionChecker::about_slot(Expr& e, const Builtin& b, Scope& scope) {
  const std::string name = b.name;
  Expr& slot = *e.args[0];
  Name* what = slot.kind == K::name ? scope.find(slot.text) : nullptr;
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

std::vector<Type> ExpressionChecker::turn_types(Expr& source, size_t names, const Span& names_span, Scope& scope,
                                                OpsetRange& range) {
  std::vector<Type> elements;
  const auto walk = [&](Expr& list) {
    const Type t = check(list, scope, range);
    if (!t.list && !is_unknown(t)) fail("type", list.span, "'for' needs a list, not " + quoted(t));
    elements.push_back(one(t.base));
  };
  if (source.kind == K::call && (source.text == "zip" || source.text == "enumerate")) {
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
  const std::vector<Type> elements = turn_types(source, e.vars.size(), e.span, scope, range);
  scope.push();
  for (size_t i = 0; i < e.vars.size(); ++i) scope.define(e.vars[i], {Name::Kind::variable, elements[i], nullptr});
  const std::set<std::string> outside = scope.known;
  bool source_known = true;
  if (source.kind == K::call && (source.text == "zip" || source.text == "enumerate")) {
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
