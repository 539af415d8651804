#include "generator/lower/walk.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <string_view>

#include "generator/lower/make.h"

namespace opgen::lowered {
namespace {

using S = Statement::Kind;

void walk(const ExprPtr& e, const Visitor& visitor) {
  if (e) walk(*e, visitor);
}

void walk(Iteration& iteration, const Visitor& visitor) {
  walk(iteration.cond, visitor);
  for (const ExprPtr& e : iteration.carried) walk(e, visitor);
  for (const ExprPtr& e : iteration.scan_outputs) walk(e, visitor);
}

void count(Routine& routine) {
  const auto reset = [](const VariablePtr& v) {
    if (v) v->uses = 0, v->changes = false;
  };
  for (const VariablePtr& p : routine.parameters) reset(p);
  walk(routine.body, {[&](Expr& e) {
                        for (const VariablePtr& v : e.variables) reset(v);
                      },
                      [&](Statement& s) {
                        if (s.kind != S::assign)
                          for (const VariablePtr& v : s.variables) reset(v);
                        reset(s.iteration.number);
                        for (const VariablePtr& v : s.iteration.state) reset(v);
                      }});
  walk(routine.body, {[](Expr& e) {
                        if (e.variable) ++e.variable->uses;
                      },
                      [](Statement& s) {
                        if (s.kind == S::assign || s.kind == S::declare) s.variables[0]->changes = true;
                      }});
}

/// Removes statements with unused values, and empty choices.
bool is_dead(const Statement& s) {
  switch (s.kind) {
    case S::declare:
    case S::define:
    case S::assign: return s.variables[0]->uses == 0;
    case S::unpack:
      return std::all_of(s.variables.begin(), s.variables.end(),
                         [](const VariablePtr& v) { return !v || v->uses == 0; });
    case S::if_: return s.body.empty() && s.otherwise.empty();
    case S::for_: return s.body.empty();
    default: return false;
  }
}

bool drop(Block& block) {
  bool dropped = false;
  for (Statement& s : block) {
    dropped = drop(s.body) || dropped;
    dropped = drop(s.otherwise) || dropped;
    if (s.kind == S::unpack)
      for (VariablePtr& v : s.variables)
        if (v && v->uses == 0) v = nullptr;
  }
  const size_t before = block.size();
  block.erase(std::remove_if(block.begin(), block.end(), is_dead), block.end());
  return dropped || block.size() != before;
}

bool defines_once(const Statement& s, std::string_view operation) {
  return s.kind == S::define && s.value->kind == Expr::Kind::operation && s.value->operation->name == operation &&
         s.variables[0]->uses == 1 && !s.variables[0]->changes;
}
bool is_read(const Statement& s) { return defines_once(s, "attr") || defines_once(s, "attr_dtype"); }

bool reads_variable(const ExprPtr& e, const VariablePtr& v) {
  bool found = false;
  if (e) look(*e, [&](const Expr& part) { found = found || part.variable == v; });
  return found;
}

/// Whether an expression reads a variable before it emits anything.
bool reads_first(const ExprPtr& e, const VariablePtr& v) {
  if (e->kind == Expr::Kind::variable) return e->variable == v;
  const bool plain = e->kind == Expr::Kind::node || e->kind == Expr::Kind::call || e->kind == Expr::Kind::operation;
  if (!plain || e->count) return false;
  std::vector<ExprPtr> parts = e->args;
  if (e->kind == Expr::Kind::node && parts.size() == 1 && parts[0]->kind == Expr::Kind::list) parts = parts[0]->args;
  for (const auto& [name, value] : e->attributes) parts.push_back(value);
  const ExprPtr* place = nullptr;
  for (const ExprPtr& part : parts) {
    if (reads_variable(part, v)) place = &part;
    else if (part->effect != Effect::none && part->effect != Effect::refuses) return false;
  }
  return place != nullptr && reads_first(*place, v);
}

/// Puts values in the places of variables, but for those inside of repetitions.
using Values = std::map<const Variable*, ExprPtr>;
void put(ExprPtr& e, Values& values) {
  if (!e) return;
  if (e->kind == Expr::Kind::variable)
    if (const auto found = values.find(e->variable.get()); found != values.end()) {
      e = found->second;
      values.erase(found);
      return;
    }
  for (ExprPtr& a : e->args) put(a, values);
  for (auto& [name, value] : e->attributes) put(value, values);
  put(e->count, values);
}
void put(Block& block, Values& values) {
  for (Statement& s : block) {
    put(s.value, values);
    for (ExprPtr& e : s.values) put(e, values);
    if (s.kind != S::if_) continue;
    put(s.body, values);
    put(s.otherwise, values);
  }
}

}  // namespace

void inline_reads(Routine& routine) {
  Values values;
  for (const Statement& s : routine.body)
    if (is_read(s)) values[s.variables[0].get()] = s.value;
  // A weight enters the model where its operand is read: that must stay the first thing that happens.
  const auto& body = routine.body;
  const auto input = std::find_if(body.begin(), body.end(), [](const Statement& s) { return !is_read(s); });
  if (input != body.end() && defines_once(*input, "input")) {
    const auto user = std::find_if(input + 1, body.end(), [](const Statement& s) { return !is_read(s); });
    if (user != body.end() && (user->kind == S::output || user->kind == S::define) &&
        reads_first(user->value, input->variables[0]))
      values[input->variables[0].get()] = input->value;
  }
  Values left = values;
  put(routine.body, left);
  const auto moved = [&](const Statement& s) {
    return s.kind == S::define && values.count(s.variables[0].get()) > 0 && left.count(s.variables[0].get()) == 0;
  };
  routine.body.erase(std::remove_if(routine.body.begin(), routine.body.end(), moved), routine.body.end());
}

void walk(Expr& e, const Visitor& visitor) {
  if (visitor.on_expr) visitor.on_expr(e);
  for (const ExprPtr& a : e.args) walk(a, visitor);
  for (auto& [name, value] : e.attributes) walk(value, visitor);
  walk(e.count, visitor);
  walk(e.body, visitor);
  walk(e.filter, visitor);
  walk(e.value, visitor);
}

void walk(Block& block, const Visitor& visitor) {
  for (Statement& s : block) {
    if (visitor.on_statement) visitor.on_statement(s);
    walk(s.value, visitor);
    for (const ExprPtr& e : s.values) walk(e, visitor);
    walk(s.body, visitor);
    walk(s.iteration, visitor);
    walk(s.otherwise, visitor);
    walk(s.other, visitor);
  }
}

void look(const Block& block, const std::function<void(const Expr&)>& on_expr,
          const std::function<void(const Statement&)>& on_statement) {
  walk(const_cast<Block&>(block), {on_expr, on_statement});  // NOLINT: the visitors see constants
}

void look(const Expr& e, const std::function<void(const Expr&)>& on_expr) {
  walk(const_cast<Expr&>(e), {on_expr, nullptr});  // NOLINT: the visitor sees constants
}

Effect effect_of(Block& block) {
  Effect worst = Effect::none;
  walk(block, {[&](Expr& e) { worst = worse(worst, e.effect); },
               [&](Statement& s) {
                 if (s.kind == S::refuse || s.kind == S::need_opset) worst = worse(worst, Effect::refuses);
                 if (s.kind == S::loop || s.kind == S::branch || s.kind == S::run) worst = Effect::emits;
               }});
  return worst;
}

void prune(Routine& routine) {
  do count(routine);
  while (drop(routine.body));
}

}  // namespace opgen::lowered
