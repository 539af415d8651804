#include "generator/check/recipes.h"

#include <algorithm>
#include <cctype>
#include <utility>

#include "generator/check/builtins.h"
#include "generator/check/dead_assignments.h"
#include "generator/diagnostics/text.h"

namespace opgen {
namespace {

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
    std::vector<std::string> outputs = scope.names();
    std::erase_if(outputs, [&](const std::string& name) { return scope.find(name)->kind != Name::Kind::output; });
    fail("unknown-slot", spec.names[0].span,
         "'" + spec.names[0].text + "' is no output of this operator" + did_you_mean(spec.names[0].text, outputs),
         "the outputs are " + joined(outputs));
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
    Diagnostics ignored;  // statements() reports its errors
    if (s.kind == Statement::Kind::assign && parse_assignment(s.text, row_, ignored, &a))
      for (const Target& t : a.targets) renew(t.name);
    if (s.kind == Statement::Kind::loop)
      for (const Text& name : s.names) renew(name.text);
    for (const Text& name : s.scan_outputs) renew(name.text);
    renew_assigned(s.body, scope);
    renew_assigned(s.otherwise, scope);
  }
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

void RecipeChecker::condition(const Text& when, CheckedVariant& out, Scope& scope) {
  if (when.text.empty()) return;
  out.when = parse_expression(when, row_, diagnostics_);
  if (out.when) {
    OpsetRange ignored;
    expressions_.check_condition(*out.when, scope, ignored);
    expressions_.learn(*out.when, scope);
  } else {
    scope.known.insert(kBrokenCondition);
  }
}

/// Checks the body of a variant whose scope and opsets are set up.
void RecipeChecker::body(const Variant& v, const std::vector<CheckedInput>& results, CheckedVariant& out,
                         Scope& scope) {
  const size_t errors = diagnostics_.error_count();
  scope.push();
  condition(v.when, out, scope);
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
  if (diagnostics_.error_count() == errors) report_unused();
  // Not beside mistakes, and not twice.
  if (diagnostics_.error_count() == errors) check_dead_assignments(out, results, diagnostics_);
  report_unassigned(v, results, flow, scope);
  for (const auto& [name, count] : flow.statements)
    if (count == 1) out.assigned_once.insert(name);
  scope.pop();
}

void RecipeChecker::report_unused() {
  for (const Assigned& a : assigned_) {
    if (a.read) continue;
    fail("unused-name", a.target.span, "'" + a.target.name + "' is never used",
         "write _ instead, or remove the statement");
    diagnostics_.was_mended();
  }
}

void RecipeChecker::report_unassigned(const Variant& v, const std::vector<CheckedInput>& results, const Flow& flow,
                                      Scope& scope) {
  for (const CheckedInput& r : results) {
    if (flow.assigned.count(r.name) > 0 || flow.may_be_set.count(r.name) > 0) continue;
    if (broken_ || scope.known.count("fails used " + r.name) > 0) continue;
    Diagnostic& error = fail("unassigned", v.span, "'" + r.name + "' is not assigned on every path",
                             "assign it, or assign it inside 'if: used(" + r.name + ")' if it is optional");
    if (const Name* n = scope.find(r.name); n != nullptr && n->place.line > 0)
      error.notes.emplace_back(n->place, "assigned here" + (n->within.empty() ? "" : ", in " + n->within));
  }
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
    OpsetRange written;
    parse_opsets(v.opset, diagnostics_, &written);
    out.range = outer;
    if (written.first > out.range.first) {
      out.range.first = written.first;
      out.range.why_first = "'opset: " + v.opset.text + "'";
    }
    out.range.last = std::min(out.range.last, written.last);
    expressions_.limit = v.opset.text.empty() ? no_limit() : written;
    const std::set<std::string> outside = scope.known;
    const size_t errors = diagnostics_.error_count();
    body(v, results, out, scope);
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
