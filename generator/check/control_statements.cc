// Statements with bodies: choices, repetitions, ONNX loops and branches.
#include "generator/check/recipes.h"

#include <algorithm>

namespace opgen {
namespace {

bool asks_used(const Expr& e) {
  return contains(e, [](const Expr& part) { return part.kind == Expr::Kind::call && part.text == "used"; });
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

/// The state after one side of a choice: the opsets that it needs, its names, and what it assigned.
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
  out.types = expressions_.iteration_types(*head.source, head.vars.size(), spec.text.span, scope, range);
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

}  // namespace opgen
