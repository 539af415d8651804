#include "generator/check/recipes.h"

#include <algorithm>
#include <cctype>
#include <utility>

#include "generator/check/builtins.h"
#include "generator/check/liveness.h"
#include "generator/diagnostics/text.h"

namespace opgen {

/// What is assigned along the way through statements.
struct RecipeChecker::Flow {
  std::set<std::string> assigned;         ///< on every path so far
  std::map<std::string, int> statements;  ///< how many statements assign a name
  bool optional_outputs = false;          ///< inside a choice by used(...): the output need not be set
  std::set<std::string> may_be_set;       ///< outputs that only a used(...) choice sets
};

namespace {

bool asks_used(const Expr& e) {
  if (e.kind == Expr::Kind::call && e.text == "used") return true;
  return std::any_of(e.args.begin(), e.args.end(), [](const ExprPtr& a) { return a && asks_used(*a); });
}

/// The names in front of "=" in a statement that cannot be read.
std::vector<Target> intended(const Text& statement) {
  const std::string& text = statement.text;
  const size_t equals = text.find('=');
  std::vector<Target> list;
  if (equals == std::string::npos || text.find('(') < equals) return list;  // that is an attribute's
  for (size_t at = 0; at < equals;) {
    size_t end = at;
    while (end < equals && is_word(text[end])) ++end;
    if (end > at && std::isdigit(static_cast<unsigned char>(text[at])) == 0)
      list.push_back({text.substr(at, end - at), span_at(statement, at, end - at)});
    at = end + 1;
  }
  return list;
}

/// "the 'then' at line 28".
std::string key_at(const char* key, const Span& span) {
  return span.line > 0 ? "the '" + std::string(key) + "' at line " + std::to_string(span.line) : "";
}

/// Names that a body assigns more than once are assigned more than once.
void merge_counts(const std::map<std::string, int>& body, std::map<std::string, int>& all) {
  for (const auto& [name, count] : body) {
    const auto before = all.find(name);
    if (count - (before == all.end() ? 0 : before->second) > 1) all[name] = count;
  }
}

}  // namespace

bool all_taken(const std::vector<const CheckedVariant*>& variants, const OpsetRange& opsets) {
  for (int opset = opsets.first; opset <= opsets.last; ++opset)
    if (std::none_of(variants.begin(), variants.end(),
                     [&](const CheckedVariant* v) { return v->range.first <= opset && opset <= v->range.last; }))
      return false;
  return true;
}

void RecipeChecker::bindings(const std::vector<Binding>& spec, Scope& scope, OpsetRange& range,
                             std::vector<CheckedBinding>& list) {
  list.reserve(list.size() + spec.size());
  for (const Binding& b : spec) {
    CheckedBinding out;
    out.name = b.name.text;
    out.value = parse_expression(b.value, row_, diagnostics_);
    if (out.value) {
      out.type = expressions_.check(*out.value, scope, range);
      if (is_empty_list(out.type)) out.type = list_of(Base::integer);
    }
    out.type.may_be_dynamic = false;
    if (out.value && out.value->type.may_be_dynamic)
      fail("unknown", b.value.span, "'" + out.name + "' compares a number that may be known only at run time",
           "guard it with known(...)");
    if (value_in(row_, out.name) != nullptr)
      fail("duplicate-name", b.name.span, "'" + out.name + "' is a column of the table", "choose another name");
    if (Name* other = scope.find(out.name); other != nullptr && !is_unknown(other->type))
      fail("duplicate-name", b.name.span, "'" + out.name + "' is already defined");
    list.push_back(std::move(out));
    scope.define(list.back().name, {Name::Kind::let, list.back().type, &list.back().read});
  }
}

CheckedRequire RecipeChecker::require(const Require& spec, Scope& scope, OpsetRange& range) {
  if (spec.message.text.empty()) return library_requirement(spec.that, scope, range);
  CheckedRequire out;
  out.that = parse_expression(spec.that, row_, diagnostics_);
  if (out.that) expressions_.check_condition(*out.that, scope, range);
  out.code = spec.code.text.empty() ? "E_REQUIRE" : spec.code.text;
  out.message = spec.message.text;
  std::string piece;
  holes(spec.message, out, piece, scope, range);
  out.pieces.push_back(piece);
  if (out.that) {
    expressions_.note_condition(*out.that, scope, true);
    expressions_.learn(*out.that, scope);
  } else {
    scope.known.insert(kBrokenCondition);
  }
  return out;
}

const CheckedRequirement* RecipeChecker::find_requirement(const ExprPtr& call) {
  if (!call) return nullptr;
  if (call->kind != Expr::Kind::call) {
    fail("missing-message", call->span, "the requirement has no message",
         "write 'else: message' below it, or call a library requirement: one_level(X)");
    return nullptr;
  }
  const auto found = expressions_.requirements.find(call->text);
  if (found == expressions_.requirements.end()) {
    expressions_.unknown_requirement(*call);
    return nullptr;
  }
  return found->second->body.that ? found->second : nullptr;
}

bool RecipeChecker::bind_arguments(const Expr& call, const CheckedRequirement& found, Scope& scope, OpsetRange& range,
                                   Arguments* arguments) {
  const size_t errors = diagnostics_.error_count();
  const std::vector<ExprPtr> given = expressions_.arguments(call, found.head, found.spec->head, true, scope, range);
  if (diagnostics_.error_count() > errors) return false;
  std::set<std::string> inside;
  collect_variables(*found.body.that, inside);
  for (const ExprPtr& hole : found.body.holes) collect_variables(*hole, inside);
  for (size_t i = 0; i < given.size(); ++i) {
    (*arguments)[found.head.parameters[i].name] = given[i];
    if (!reads_any(*given[i], inside)) continue;
    fail("arguments", given[i]->span, "'" + found.head.name + "' has a variable with this name", "choose another name");
    return false;
  }
  const std::set<std::string> op{"operator"};
  const bool says_operator = std::any_of(found.body.holes.begin(), found.body.holes.end(),
                                         [&](const ExprPtr& hole) { return reads_any(*hole, op); });
  if (says_operator && expressions_.operator_name.empty()) {
    fail("arguments", call.span,
         "'" + found.head.name + "' contains the operator's name, which is unknown in functions",
         "call it in the recipe of the operator");
    return false;
  }
  (*arguments)["operator"] = text_literal(expressions_.operator_name);
  return true;
}

/// One that the library has: its condition and message, with the arguments in place.
CheckedRequire RecipeChecker::library_requirement(const Text& text, Scope& scope, OpsetRange& range) {
  CheckedRequire out;
  const ExprPtr call = parse_expression(text, row_, diagnostics_);
  const CheckedRequirement* found = find_requirement(call);
  Arguments arguments;
  if (found == nullptr || !bind_arguments(*call, *found, scope, range, &arguments)) {
    scope.known.insert(kBrokenCondition);
    return out;
  }
  expressions_.called.insert(found->head.name);
  out.that = expand(*found->body.that, arguments);
  out.that->span = call->span;
  expressions_.check_condition(*out.that, scope, range);
  out.code = found->body.code;
  std::string piece = found->body.pieces[0];
  for (size_t i = 0; i < found->body.holes.size(); ++i) {
    const Expr& written = *found->body.holes[i];
    // A tensor's value cannot be shown: its name is.
    const bool names = written.kind == Expr::Kind::name && written.type.base == Base::tensor;
    const ExprPtr hole = names ? text_literal(arguments[written.text]->source) : expand(written, arguments);
    if (hole->kind == Expr::Kind::string) {
      piece += hole->text;
    } else {
      expressions_.check(*hole, scope, range);
      out.pieces.push_back(piece);
      out.message += piece + "{" + hole->source + "}";
      out.holes.push_back(hole);
      piece.clear();
    }
    piece += found->body.pieces[i + 1];
  }
  out.pieces.push_back(piece);
  out.message += piece;
  expressions_.note_condition(*out.that, scope, true);
  expressions_.learn(*out.that, scope);
  return out;
}

/// "{expression}" in a message shows its value. `piece` is the text since the last one.
void RecipeChecker::holes(const Text& text, CheckedRequire& out, std::string& piece, Scope& scope, OpsetRange& range) {
  for (size_t i = 0; i < text.text.size(); ++i) {
    if (text.text[i] != '{') {
      piece += text.text[i];
      continue;
    }
    const size_t close = text.text.find('}', i);
    if (close == std::string::npos) {
      fail("bad-message", part_of(text, i, text.text.size() - i).span, "the message has '{' without '}'");
      return;
    }
    const Text hole = part_of(text, i + 1, close - i - 1);
    if (ExprPtr e = parse_expression(hole, row_, diagnostics_)) {
      expressions_.check(*e, scope, range);
      out.pieces.push_back(piece);
      out.holes.push_back(e);
      piece.clear();
    }
    i = close;
  }
}

std::vector<CheckedRequire> RecipeChecker::requires_(const std::vector<Require>& spec, Scope& scope,
                                                     OpsetRange& range) {
  std::vector<CheckedRequire> list;
  for (const Require& r : spec) list.push_back(require(r, scope, range));
  return list;
}

void RecipeChecker::target(const Target& t, const Type& type, CheckedStatement& out, Scope& scope, Flow& flow) {
  out.targets.push_back(t);
  Type stored = type;
  stored.may_be_dynamic = false;
  if (is_empty_list(stored)) stored = list_of(Base::tensor);
  if (stored.base == Base::omitted) stored = {Base::tensor, false, true, false};
  if (t.name == "_") {
    out.declares.push_back(false);
    out.types.push_back(stored);
    return;
  }
  Name* n = scope.find(t.name);
  if (n == nullptr) {
    if (!is_unknown(builtin_constant(t.name)))
      fail("duplicate-name", t.span, "'" + t.name + "' is a reserved name", "choose another name");
    assigned_.push_back({t});
    scope.define(t.name, {Name::Kind::variable, stored, &assigned_.back().read});
    out.declares.push_back(true);
    out.types.push_back(stored);
  } else if (n->kind == Name::Kind::output) {
    const Type want = n->type;
    if (!converts(stored, want) && !is_unknown(stored))
      fail("type", t.span,
           "output '" + t.name + "' must be '" + type_name(want) + "', but this is '" + type_name(type) + "'");
    n->assigned = true;
    out.declares.push_back(false);
    out.types.push_back(want);
  } else if (n->kind == Name::Kind::variable) {
    if (!converts(stored, n->type) && !is_unknown(stored))
      fail("type", t.span,
           "'" + t.name + "' is '" + type_name(n->type) + "' and cannot become '" + type_name(stored) + "'");
    out.declares.push_back(false);
    out.types.push_back(n->type);
  } else {
    fail("duplicate-name", t.span,
         "'" + t.name + "' is " + (n->kind == Name::Kind::input ? "an input" : "already defined") +
             " and cannot be assigned",
         "choose another name");
    out.declares.push_back(false);
    out.types.push_back(stored);
  }
  if (Name* assigned = scope.find(t.name)) {
    scope.renew(*assigned);
    if (assigned->place.line == 0) {
      assigned->place = t.span;
      assigned->within = within_;
    }
  }
  flow.assigned.insert(t.name);
  ++flow.statements[t.name];
}

void RecipeChecker::assign(const Statement& spec, CheckedStatement& out, Scope& scope, OpsetRange& range, Flow& flow) {
  Assignment a;
  if (!parse_assignment(spec.text, row_, diagnostics_, &a)) {
    // What it was to assign is not missing behind it.
    broken_ = true;
    for (const Target& t : intended(spec.text)) target(t, Type{}, out, scope, flow);
    return;
  }
  out.expr = a.value;
  const std::vector<Type> types = expressions_.result_types(*a.value, scope, range, a.targets.size());
  if (const Name* n = scope.find(a.targets[0].name); n != nullptr && n->kind == Name::Kind::output && !n->type.optional)
    expressions_.need(*a.value, "output '" + a.targets[0].name + "'");
  for (size_t i = 0; i < a.targets.size(); ++i) target(a.targets[i], types[i], out, scope, flow);
}

void RecipeChecker::lod(const Statement& spec, CheckedStatement& out, Scope& scope, OpsetRange& range) {
  out.expr = parse_expression(spec.text, row_, diagnostics_);
  if (!out.expr || spec.names.empty()) return;
  const Name* output = scope.find(spec.names[0].text);
  if (output == nullptr || output->kind != Name::Kind::output) {
    fail("unknown-slot", spec.names[0].span, "'" + spec.names[0].text + "' is no output of this operator");
    return;
  }
  out.slot = spec.names[0].text;
  out.types = {output->type};
  expressions_.check_as(*out.expr, list_of(Base::tensor), scope, range, "the lengths of sequences");
}

/// Names that statements assign somewhere have other values while they are repeated, and behind them.
void RecipeChecker::renew_assigned(const Statements& list, Scope& scope) {
  const auto renew = [&](const std::string& name) {
    if (Name* n = scope.find(name)) scope.renew(*n);
  };
  for (const Statement& s : list) {
    Assignment a;
    Diagnostics ignored;  // it is checked, and complained about, in its turn
    if (s.kind == Statement::Kind::assign && parse_assignment(s.text, row_, ignored, &a))
      for (const Target& t : a.targets) renew(t.name);
    if (s.kind == Statement::Kind::loop)
      for (const Text& name : s.names) renew(name.text);
    for (const Text& name : s.scan_outputs) renew(name.text);
    renew_assigned(s.body, scope);
    renew_assigned(s.otherwise, scope);
  }
}

/// What one side of a choice needs and assigns.
struct RecipeChecker::Side {
  OpsetRange range;
  std::map<std::string, Name> names;
  Flow flow;
};

void RecipeChecker::choose(const Statement& spec, CheckedStatement& out, Scope& scope, OpsetRange& range, Flow& flow) {
  out.expr = parse_expression(spec.text, row_, diagnostics_);
  if (out.expr && expressions_.check_choice(*out.expr, scope, range)) return branch(spec, out, scope, range, flow);
  if (out.expr) expressions_.note_condition(*out.expr, scope, false);
  const bool optional_outputs = out.expr && asks_used(*out.expr);
  const std::set<std::string> outside = scope.known;
  const std::map<Name*, int> values = scope.versions();
  std::set<Name*> changed;
  Side sides[2] = {{{}, {}, flow}, {{}, {}, flow}};
  for (int side = 0; side < 2; ++side) {
    if (!out.expr) scope.known.insert(kBrokenCondition);
    if (side == 0 && out.expr) expressions_.learn(*out.expr, scope);
    if (side == 1 && out.expr) expressions_.learn_not(*out.expr, scope);
    sides[side].flow.optional_outputs = flow.optional_outputs || optional_outputs;
    scope.push();
    (side == 0 ? out.body : out.otherwise) =
        side == 0 ? inner(spec.body, key_at("then", spec.body_key), scope, sides[0].range, sides[0].flow)
                  : inner(spec.otherwise, key_at("else", spec.otherwise_key), scope, sides[1].range, sides[1].flow);
    sides[side].names = scope.leave();
    scope.known = outside;
    // The other side begins with the values from before.
    for (const auto& [name, version] : values)
      if (name->version != version) {
        changed.insert(name);
        name->version = version;
      }
  }
  for (Name* name : changed) scope.renew(*name);
  join_names(sides[0], sides[1], out, scope);
  join_ranges(sides[0].range, sides[1].range, range);
  join_flows(sides[0].flow, sides[1].flow, out.before, flow);
}

/// A choice is available at every opset of either side.
void RecipeChecker::join_ranges(const OpsetRange& a, const OpsetRange& b, OpsetRange& range) {
  const OpsetRange& lower = a.first <= b.first ? a : b;
  if (lower.first > range.first) {
    range.first = lower.first;
    range.why_first = lower.why_first;
  }
  range.last = std::min(range.last, std::max(a.last, b.last));
}

/// Names that both sides define are names behind the choice.
void RecipeChecker::join_names(Side& a, const Side& b, CheckedStatement& out, Scope& scope) {
  for (auto& [name, here] : a.names) {
    const auto there = b.names.find(name);
    if (there == b.names.end() || here.kind != Name::Kind::variable) continue;
    const Type both = unify(here.type, there->second.type);
    if (is_unknown(both)) {
      here.within = "'then' as '" + type_name(here.type) + "' and in 'else' as '" + type_name(there->second.type) + "'";
      if (!is_unknown(here.type)) scope.lost[name] = here;
      continue;
    }
    scope.define(name, {Name::Kind::variable, both, here.read});
    // What either side has read counts, and so does a reader behind the choice.
    if (there->second.read != nullptr && here.read != nullptr) {
      *here.read = *here.read || *there->second.read;
      *there->second.read = true;
    }
    out.before.push_back({name, both});
  }
}

void RecipeChecker::join_flows(const Flow& a, const Flow& b, const std::vector<Variable>& both, Flow& flow) {
  const std::map<std::string, int> before = flow.statements;
  for (const auto& [name, count] : a.statements) flow.statements[name] = std::max(flow.statements[name], count);
  for (const auto& [name, count] : b.statements)
    flow.statements[name] += count - (before.count(name) ? before.at(name) : 0);
  for (const Variable& v : both) flow.statements[v.name] += 2;
  for (const std::string& name : a.assigned) {
    if (b.assigned.count(name) > 0) flow.assigned.insert(name);
    else if (a.optional_outputs) flow.may_be_set.insert(name);
  }
  flow.may_be_set.insert(a.may_be_set.begin(), a.may_be_set.end());
  flow.may_be_set.insert(b.may_be_set.begin(), b.may_be_set.end());
}

void RecipeChecker::repeat(const Statement& spec, CheckedStatement& out, Scope& scope, OpsetRange& range, Flow& flow) {
  ForHead head;
  if (!parse_for(spec.text, row_, diagnostics_, &head)) return;
  out.expr = head.source;
  out.types = expressions_.turn_types(*head.source, head.vars.size(), spec.text.span, scope, range);
  out.targets = head.vars;
  scope.push();
  for (size_t i = 0; i < head.vars.size(); ++i)
    scope.define(head.vars[i].name, {Name::Kind::variable, out.types[i], nullptr});
  Flow inside = flow;
  // The second iteration begins with what the first one assigned.
  const std::set<std::string> outside = scope.known;
  renew_assigned(spec.body, scope);
  out.body = inner(spec.body, key_at("nodes", spec.body_key), scope, range, inside);
  scope.known = outside;
  scope.leave();
  renew_assigned(spec.body, scope);
  // Zero iterations are possible, and more than one: what is assigned inside is neither certain nor assigned once.
  for (auto& [name, count] : inside.statements)
    if (count != (flow.statements.count(name) ? flow.statements.at(name) : 0)) flow.statements[name] = count + 1;
  for (const std::string& name : inside.assigned)
    if (flow.assigned.count(name) == 0) flow.may_be_set.insert(name);
}

void RecipeChecker::loop(const Statement& spec, CheckedStatement& out, Scope& scope, OpsetRange& range, Flow& flow) {
  ForHead head;
  if (!spec.trips.text.empty() && parse_for(spec.trips, row_, diagnostics_, &head)) {
    out.trips = head.source;
    expressions_.check_as(*out.trips, one(Base::operand), scope, range, "the number of iterations");
    if (head.vars.size() != 1)
      fail("loop", head.vars[1].span, "a loop has one iteration number", "write 'for: i in n'");
    else if (head.vars[0].name != "_") out.iteration = head.vars[0].name;
  }
  scope.push();
  if (!out.iteration.empty()) scope.define(out.iteration, {Name::Kind::variable, one(Base::tensor), nullptr});
  for (const Text& s : spec.names) {
    Name* n = scope.find(s.text);
    const bool fits = n != nullptr && (n->kind == Name::Kind::variable || n->kind == Name::Kind::output) &&
                      !n->type.list && converts(n->type, one(Base::tensor));
    if (!fits)
      fail("loop", s.span, "'" + s.text + "' must be a tensor assigned before the loop",
           "assign its first value in front of the loop");
    else if (n->read != nullptr) *n->read = true;
    out.state.push_back({s.text, s.span});
  }
  Flow inside = flow;
  const std::set<std::string> outside = scope.known;
  renew_assigned(spec.body, scope);
  // The body assigns the state again, under the same name.
  for (const Target& s : out.state) {
    scope.define(s.name, {Name::Kind::variable, one(Base::tensor), nullptr});
    inside.statements[s.name] += 2;
  }
  if (!spec.text.text.empty()) {
    out.cond = parse_expression(spec.text, row_, diagnostics_);
    if (out.cond) expressions_.check_as(*out.cond, one(Base::operand), scope, range, "'while'");
  }
  out.body = inner(spec.body, key_at("nodes", spec.body_key), scope, range, inside);
  for (const Text& c : spec.scan_outputs) {
    Name* n = scope.find_here(c.text);
    if (n == nullptr || !converts(n->type, one(Base::tensor)))
      fail("loop", c.span, "the loop assigns no tensor '" + c.text + "'");
    else if (n->read != nullptr) *n->read = true;
    out.scan_outputs.push_back({c.text, c.span});
  }
  scope.known = outside;
  scope.leave();
  renew_assigned(spec.body, scope);
  merge_counts(inside.statements, flow.statements);
  for (const Target& s : out.state) target(s, one(Base::tensor), out, scope, flow);
  for (const Target& c : out.scan_outputs) target(c, one(Base::tensor), out, scope, flow);
  for (const Target& s : out.state) ++flow.statements[s.name];
}

void RecipeChecker::branch(const Statement& spec, CheckedStatement& out, Scope& scope, OpsetRange& range, Flow& flow) {
  out.kind = Statement::Kind::branch;
  const std::vector<Target> names = assigned_by_both(spec);
  if (names.empty() && !broken_)
    fail("branch", spec.text.span, "the condition is a tensor, but no name is assigned by both sides",
         "an ONNX If needs 'then' and 'else' that assign the same tensors");
  for (int side = 0; side < 2; ++side) {
    const std::set<std::string> outside = scope.known;
    renew_assigned(spec.body, scope);
    renew_assigned(spec.otherwise, scope);
    scope.push();
    Flow inside = flow;
    for (const Target& t : names) scope.define(t.name, {Name::Kind::output, one(Base::tensor), nullptr, false});
    (side == 0 ? out.body : out.otherwise) =
        side == 0 ? inner(spec.body, key_at("then", spec.body_key), scope, range, inside)
                  : inner(spec.otherwise, key_at("else", spec.otherwise_key), scope, range, inside);
    scope.known = outside;
    scope.leave();
    merge_counts(inside.statements, flow.statements);
  }
  for (const Target& t : names) target(t, one(Base::tensor), out, scope, flow);
}

/// The names that a statement of either side assigns on every path.
std::vector<Target> RecipeChecker::assigned_by_both(const Statement& spec) {
  const auto targets = [&](const Statements& side) {
    std::vector<Target> list;
    for (const Statement& s : side) {
      Assignment a;
      Diagnostics ignored;  // inner() reports them
      if (s.kind == Statement::Kind::assign && parse_assignment(s.text, row_, ignored, &a))
        for (const Target& t : a.targets)
          if (t.name != "_") list.push_back(t);
    }
    return list;
  };
  const auto find = [](const std::vector<Target>& list, const std::string& name) {
    return std::any_of(list.begin(), list.end(), [&](const Target& t) { return t.name == name; });
  };
  std::vector<Target> both;
  const std::vector<Target> otherwise = targets(spec.otherwise);
  for (const Target& t : targets(spec.body))
    if (find(otherwise, t.name) && !find(both, t.name)) both.push_back(t);
  return both;
}

CheckedStatement RecipeChecker::statement(const Statement& spec, Scope& scope, OpsetRange& range, Flow& flow) {
  CheckedStatement out;
  out.kind = spec.kind;
  using Kind = Statement::Kind;
  switch (spec.kind) {
    case Kind::assign: assign(spec, out, scope, range, flow); break;
    case Kind::require:
    case Kind::branch: break;
    case Kind::lod: lod(spec, out, scope, range); break;
    case Kind::if_: choose(spec, out, scope, range, flow); break;
    case Kind::for_: repeat(spec, out, scope, range, flow); break;
    case Kind::loop: loop(spec, out, scope, range, flow); break;
  }
  return out;
}

std::vector<CheckedStatement> RecipeChecker::statements(const Statements& spec, Scope& scope, OpsetRange& range,
                                                        Flow& flow) {
  std::vector<CheckedStatement> list;
  for (const Statement& s : spec) {
    for (const Require& r : s.require_list) {
      list.emplace_back();
      list.back().kind = s.kind;
      list.back().require = require(r, scope, range);
    }
    if (s.kind != Statement::Kind::require) list.push_back(statement(s, scope, range, flow));
  }
  return list;
}

/// Statements in one side of a choice or in a repetition.
std::vector<CheckedStatement> RecipeChecker::inner(const Statements& spec, const std::string& place, Scope& scope,
                                                   OpsetRange& range, Flow& flow) {
  const std::string around = std::exchange(within_, place);
  std::vector<CheckedStatement> list = statements(spec, scope, range, flow);
  within_ = around;
  return list;
}

void RecipeChecker::variants(const std::vector<Variant>& spec, Scope& scope, const OpsetRange& outer,
                             const std::vector<CheckedInput>& results, std::vector<CheckedVariant>& list,
                             OpsetRange& range) {
  list.reserve(spec.size());
  range = {newest_opset() + 1, 0, ""};
  std::vector<const CheckedVariant*> unconditional;
  for (const Variant& v : spec) {
    list.emplace_back();
    CheckedVariant& out = list.back();
    out.spec = &v;
    parse_opsets(v.opset, diagnostics_, &out.written);
    out.range = outer;
    if (out.written.first > out.range.first) {
      out.range.first = out.written.first;
      out.range.why_first = "'opset: " + v.opset.text + "'";
    }
    out.range.last = std::min(out.range.last, out.written.last);
    expressions_.limit = v.opset.text.empty() ? no_limit() : out.written;
    const std::set<std::string> outside = scope.known;
    const size_t errors = diagnostics_.error_count();
    scope.push();
    if (!v.when.text.empty()) {
      out.when = parse_expression(v.when, row_, diagnostics_);
      if (out.when) {
        OpsetRange ignored;
        expressions_.check_condition(*out.when, scope, ignored);
        expressions_.learn(*out.when, scope);
      } else {
        scope.known.insert(kBrokenCondition);
      }
    }
    bindings(v.let, scope, out.range, out.let);
    out.require = requires_(v.require, scope, out.range);
    for (const CheckedInput& r : results) {
      Name* n = scope.find(r.name);
      if (n != nullptr && (n->kind == Name::Kind::input || n->kind == Name::Kind::parameter))
        fail("duplicate-name", v.span, "output '" + r.name + "' has the name of an input");
      scope.define(r.name, {Name::Kind::output, r.type, nullptr, false});
    }
    scope.push();
    Flow flow;
    assigned_.clear();
    broken_ = false;
    scope.lost.clear();
    out.nodes = statements(v.nodes, scope, out.range, flow);
    scope.pop();
    if (diagnostics_.error_count() == errors)
      for (const Assigned& a : assigned_)
        if (!a.read) {
          fail("unused-name", a.target.span, "'" + a.target.name + "' is never used",
               "write _ instead, or remove the statement");
          diagnostics_.was_mended();
        }
    // Not beside mistakes, and not twice.
    if (diagnostics_.error_count() == errors) check_liveness(out, results, diagnostics_);
    for (const CheckedInput& r : results) {
      if (flow.assigned.count(r.name) > 0 || flow.may_be_set.count(r.name) > 0) continue;
      if (broken_ || scope.known.count("fails used " + r.name) > 0) continue;
      Diagnostic& error = fail("unassigned", v.span, "'" + r.name + "' is not assigned on every path",
                               "assign it, or assign it inside 'if: used(" + r.name + ")' if it is optional");
      if (const Name* n = scope.find(r.name); n != nullptr && n->place.line > 0)
        error.notes.emplace_back(n->place, "assigned here" + (n->within.empty() ? "" : ", in " + n->within));
    }
    for (const auto& [name, count] : flow.statements)
      if (count == 1) out.assigned_once.insert(name);
    scope.pop();
    scope.known = outside;
    expressions_.limit = no_limit();
    if (out.range.empty()) {
      if (diagnostics_.error_count() == errors)
        fail("opset", v.opset.text.empty() ? v.span : v.opset.span, "the variant's nodes have no opset in common");
      continue;
    }
    // A variant is unreachable when earlier ones without condition have all its opsets.
    if (all_taken(unconditional, out.range))
      fail("unreachable", v.span, "the variant is unreachable: earlier ones cover all its opsets",
           "add 'when' to the earlier variants, or move them behind it");
    // The range of a wrong one is not to be relied on.
    if (!out.when && diagnostics_.error_count() == errors) unconditional.push_back(&out);
    if (out.range.first < range.first) {
      range.first = out.range.first;
      range.why_first = out.range.why_first;
    }
    range.last = std::max(range.last, out.range.last);
  }
  if (range.empty()) range = outer;
}

}  // namespace opgen
