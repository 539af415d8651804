#include "generator/lower/recipes.h"

#include <algorithm>

#include "generator/check/builtins.h"
#include "generator/lower/walk.h"

namespace opgen::lowered {
namespace {

using S = Statement::Kind;
using Parsed = opgen::Statement::Kind;

bool reads(const CheckedStatement& s, const std::string& name) {
  const auto in = [&](const opgen::ExprPtr& e) { return e && opgen::reads(*e, name); };
  const auto inside = [&](const CheckedStatement& inner) { return reads(inner, name); };
  return in(s.expr) || in(s.trips) || in(s.cond) || in(s.require.that) ||
         std::any_of(s.require.holes.begin(), s.require.holes.end(), in) ||
         std::any_of(s.state.begin(), s.state.end(), [&](const Target& t) { return t.name == name; }) ||
         std::any_of(s.body.begin(), s.body.end(), inside) ||
         std::any_of(s.otherwise.begin(), s.otherwise.end(), inside);
}

bool is_target(const CheckedStatement& s, const std::string& name) {
  return s.kind != Parsed::for_ &&
         std::any_of(s.targets.begin(), s.targets.end(), [&](const Target& t) { return t.name == name; });
}

bool assigns(const CheckedStatement& s, const std::string& name) {
  const auto inside = [&](const CheckedStatement& inner) { return assigns(inner, name); };
  return is_target(s, name) || std::any_of(s.body.begin(), s.body.end(), inside) ||
         std::any_of(s.otherwise.begin(), s.otherwise.end(), inside);
}

/// What is lowered meanwhile comes from this line of the spec.
class At {
 public:
  At(ExpressionLowering& x, int line) : x_(x), outside_(x.line) {
    if (line > 0) x.line = line;
  }
  ~At() { x_.line = outside_; }
  At(const At&) = delete;
  At& operator=(const At&) = delete;

 private:
  ExpressionLowering& x_;
  int outside_;
};

int line_of(const CheckedStatement& s) {
  if (!s.targets.empty()) return s.targets[0].span.line;
  for (const opgen::ExprPtr& e : {s.require.that, s.expr, s.trips, s.cond})
    if (e) return e->span.line;
  return 0;
}

Statement refuse(const std::string& code, std::vector<ExprPtr> message) {
  Statement s = make_statement(S::refuse);
  s.text = code;
  s.values = std::move(message);
  return s;
}

ExprPtr opset_is(const char* comparison, int opset) {
  return make_operation(comparison, {make_operation("opset", {}), make_constant(int64_t{opset})});
}

}  // namespace

void RecipeLowering::add(S kind, const VariablePtr& variable, const ExprPtr& value) {
  Statement s = make_statement(kind);
  s.variables = {variable};
  s.value = value;
  add(std::move(s));
}

void RecipeLowering::bindings(const std::vector<CheckedBinding>& list) {
  for (const CheckedBinding& b : list) {
    if (!b.read) continue;
    const At at(x_, b.value->span.line);
    const ExprPtr value = x_.lower_as(*b.value, b.type);
    // What a row decides is known to all that follows; a number that has a name is better called by it.
    const bool decides = value->kind == Expr::Kind::constant && value->type == Type{b.type.base} &&
                         (!row_.empty() || value->type.base == Base::boolean || value->type.base == Base::string);
    if (decides) x_.bind(b.name, {nullptr, value, false, value->type});
    else add(S::define, x_.define(b.name, b.type), value);
  }
}

/// Part of a message. The name of a row is apart, so that rows can share the rest; join_texts puts together what may
/// be.
void RecipeLowering::text(const std::string& piece, std::vector<ExprPtr>* parts) const {
  size_t from = 0;
  const std::string quoted = "'" + row_ + "'";
  for (size_t at = piece.find(quoted); !row_.empty() && at != std::string::npos; at = piece.find(quoted, from)) {
    parts->push_back(make_constant(piece.substr(from, at + 1 - from)));
    parts->push_back(make_constant(row_));
    from = at + 1 + row_.size();
  }
  if (from < piece.size() || parts->empty()) parts->push_back(make_constant(piece.substr(from)));
}

void join_texts(Routine& routine) {
  const auto is_text = [](const ExprPtr& e) { return e->kind == Expr::Kind::constant && e->type.base == Base::string; };
  walk(routine.body, {nullptr, [&](Statement& s) {
                        if (s.kind != S::refuse) return;
                        std::vector<ExprPtr> parts;
                        for (const ExprPtr& part : s.values) {
                          if (parts.empty() || !is_text(part) || !is_text(parts.back())) parts.push_back(part);
                          else
                            parts.back() = make_constant(std::get<std::string>(parts.back()->literal) +
                                                         std::get<std::string>(part->literal));
                        }
                        s.values = std::move(parts);
                      }});
}

void RecipeLowering::require(const CheckedRequire& r) {
  const At at(x_, r.that->span.line);
  const ExprPtr that = x_.lower(*r.that);
  if (truth(that) == true) return;
  Statement s = make_statement(S::if_);
  s.value = make_not(that);
  Block* const outside = x_.block;
  x_.block = &s.body;
  std::vector<ExprPtr> parts;
  text(r.pieces[0], &parts);
  for (size_t i = 0; i < r.holes.size(); ++i) {
    parts.push_back(make_operation("show", {x_.lower(*r.holes[i])}));
    text(r.pieces[i + 1], &parts);
  }
  add(refuse(r.code, std::move(parts)));
  x_.block = outside;
  if (truth(that) == false) outside->insert(outside->end(), s.body.begin(), s.body.end());
  else add(std::move(s));
}

void RecipeLowering::lod(const CheckedStatement& s) {
  Statement run = make_statement(S::run);
  run.value = make_operation(s.types[0].list ? "set_all_lengths" : "set_lod",
                             {make_constant(s.slot), x_.lower_as(*s.expr, list_of(Base::tensor))});
  add(std::move(run));
}

/// Opsets that earlier variants always take need no question; null if there is nothing to ask.
ExprPtr RecipeLowering::condition(const CheckedVariant& v, const std::vector<const CheckedVariant*>& always) {
  const auto opsets_taken = [&](int from, int to) { return all_taken(always, {from, to, ""}); };
  ExprPtr all = make_constant(true);
  if (!opsets_taken(kOldestOpset, v.range.first - 1)) all = make_both(all, opset_is(">=", v.range.first));
  if (!opsets_taken(v.range.last + 1, newest_opset())) all = make_both(all, opset_is("<=", v.range.last));
  if (v.when) all = make_both(all, x_.lower(*v.when));
  return all;
}

void RecipeLowering::variants(const std::vector<CheckedVariant>& list) {
  std::vector<const CheckedVariant*> always;
  for (const CheckedVariant& v : list) {
    const ExprPtr holds = condition(v, always);
    if (!v.when) always.push_back(&v);
    if (truth(holds) == false) continue;
    if (v.spec != nullptr && !v.spec->doc.text.empty()) {
      Statement note = make_statement(S::note);
      note.text = v.spec->doc.text;
      add(std::move(note));
    }
    if (truth(holds) == true) return variant(v);
    // The lowest opset of the only variant is that of the operator.
    if (list.size() == 1 && !v.when && v.range.last == newest_opset()) {
      Statement need = make_statement(S::need_opset);
      need.number = v.range.first;
      add(std::move(need));
      return variant(v);
    }
    Statement s = make_statement(S::if_);
    s.value = holds;
    Block* const outside = x_.block;
    x_.block = &s.body;
    variant(v);
    if (!results_.function) add(make_statement(S::done));
    x_.block = outside;
    add(std::move(s));
  }
  add(refuse(kNoVariant, {make_constant(std::string(kNoVariantText))}));
}

void RecipeLowering::variant(const CheckedVariant& v) {
  x_.push();
  bindings(v.let);
  for (const CheckedRequire& r : v.require) require(r);
  plan_results(v);
  std::vector<std::string> pending;
  for (const CheckedInput& r : results_.list) {
    if (direct_.count(r.name) > 0) continue;
    x_.bind(r.name, {nullptr, nullptr, true, r.type});
    pending.push_back(r.name);
  }
  statements(v.nodes, pending);
  leave_results(v);
  x_.pop();
}

/// A result that one top-level statement assigns and no other reads is returned at once.
void RecipeLowering::plan_results(const CheckedVariant& v) {
  direct_.clear();
  for (const CheckedInput& r : results_.list) {
    const bool once = v.assigned_once.count(r.name) > 0;
    if (results_.function) {
      const bool last = !v.nodes.empty() && v.nodes.back().kind == Parsed::assign &&
                        v.nodes.back().targets.size() == 1 && v.nodes.back().targets[0].name == r.name;
      if (last && results_.list.size() == 1 && once) direct_.insert(r.name);
      continue;
    }
    const bool at_top = std::any_of(v.nodes.begin(), v.nodes.end(), [&](const CheckedStatement& s) {
      return s.kind == Parsed::assign && is_target(s, r.name);
    });
    const bool read =
        std::any_of(v.nodes.begin(), v.nodes.end(), [&](const CheckedStatement& s) { return reads(s, r.name); });
    if (at_top && !read && once) direct_.insert(r.name);
  }
}

void RecipeLowering::leave_results(const CheckedVariant& v) {
  Statement gives = make_statement(S::give);
  for (const CheckedInput& r : results_.list) {
    if (direct_.count(r.name) > 0) continue;
    ExpressionLowering::Name* n = x_.find(r.name);
    if (n->pending) {
      if (!results_.function) continue;  // unused
      add(S::declare, x_.define(r.name, r.type), nullptr);
      n = x_.find(r.name);
    }
    const ExprPtr value = make_variable(n->variable);
    if (results_.function) {
      gives.values.push_back(value);
    } else if (r.type.list || v.assigned_once.count(r.name) > 0) {
      leave(r, value);
    } else {
      Statement s = make_statement(S::if_);
      s.value = make_operation("present", {value});
      Block* const outside = x_.block;
      x_.block = &s.body;
      leave(r, make_variable(n->variable));
      x_.block = outside;
      add(std::move(s));
    }
  }
  if (!gives.values.empty()) add(std::move(gives));
}

/// The output leaves the converter.
void RecipeLowering::leave(const CheckedInput& r, const ExprPtr& value) {
  Statement s = make_statement(S::output);
  s.text = r.name;
  s.value = value;
  if (!r.type.list)
    s.value = results_.channels_last.count(r.name) > 0
                  ? make_operation("from_channels_first", {value, make_variable(results_.layout)})
                  : make_conversion(value, one(Base::operand), "");
  add(std::move(s));
}

// -- statements ------------------------------------------------------------------------------------------------------

/// Results are declared where they are first assigned: in front of a choice or repetition, if it is inside of one.
void RecipeLowering::declare_pending(const CheckedStatement& s, const std::vector<std::string>& pending) {
  const bool plain = s.kind != Parsed::if_ && s.kind != Parsed::for_;
  for (const std::string& name : pending) {
    const ExpressionLowering::Name* n = x_.find(name);
    if (!n->pending || !assigns(s, name) || (plain && is_target(s, name))) continue;
    const Type type = n->type;
    add(S::declare, x_.define(name, type), nullptr);
  }
}

/// A choice that the constants of a row decide is what it chooses.
bool RecipeLowering::decided(const CheckedStatement& s, std::vector<std::string> pending) {
  if (s.kind != Parsed::if_) return false;
  Block ignored;
  Block* const outside = x_.block;
  x_.block = &ignored;
  const auto known = truth(x_.lower(*s.expr));
  x_.block = outside;
  if (!known) return false;
  for (const opgen::Variable& v : s.before) {
    if (x_.find(v.name) != nullptr) continue;
    x_.bind(v.name, {nullptr, nullptr, true, v.type});
    pending.push_back(v.name);
  }
  x_.push();
  statements(*known ? s.body : s.otherwise, pending);
  x_.pop();
  return true;
}

void RecipeLowering::statements(const std::vector<CheckedStatement>& list, const std::vector<std::string>& pending) {
  for (const CheckedStatement& s : list) {
    if (decided(s, pending)) continue;
    declare_pending(s, pending);
    statement(s);
  }
}

Block RecipeLowering::inside(const std::vector<CheckedStatement>& list) {
  Block body;
  Block* const outside = x_.block;
  x_.block = &body;
  x_.push();
  statements(list, {});
  x_.pop();
  x_.block = outside;
  return body;
}

void RecipeLowering::statement(const CheckedStatement& s) {
  const At at(x_, line_of(s));
  switch (s.kind) {
    case Parsed::assign: return s.targets.size() == 1 ? assign(s) : unpack(s);
    case Parsed::require: return require(s.require);
    case Parsed::if_: return choose(s);
    case Parsed::for_: return repeat(s);
    case Parsed::loop: return loop(s);
    case Parsed::branch: return branch(s);
    case Parsed::lod: return lod(s);
  }
}

void RecipeLowering::store(const CheckedStatement& s, size_t i, const ExprPtr& value) {
  const std::string& name = s.targets[i].name;
  if (name == "_") return;
  if (direct_.count(name) > 0) {
    if (!results_.function) return leave(*results_.find(name), value);
    Statement gives = make_statement(S::give);
    gives.values = {value};
    return add(std::move(gives));
  }
  const ExpressionLowering::Name* n = x_.find(name);
  const bool defined = n != nullptr && !n->pending;
  const Type type = n != nullptr ? n->type : s.types[i];
  const ExprPtr converted = make_conversion(value, Type{type.base, type.list}, name);
  if (defined) add(S::assign, n->variable, converted);
  else add(S::define, x_.define(name, type), converted);
}

void RecipeLowering::assign(const CheckedStatement& s) {
  const std::string& name = s.targets[0].name;
  if (name == "_") return;
  Type want = s.types[0];
  const CheckedInput* result = results_.find(name);
  const bool leaves = direct_.count(name) > 0;
  if (results_.function && result != nullptr) want = result->type;
  else if (leaves && !want.list && results_.channels_last.count(name) == 0) want = one(Base::operand);
  else if (const ExpressionLowering::Name* n = x_.find(name); n != nullptr && !leaves) want = n->type;
  if (s.expr->type.base == Base::omitted && !leaves) want = {Base::tensor, false, true, false};
  store(s, 0, x_.lower_as(*s.expr, want));
}

void RecipeLowering::unpack(const CheckedStatement& s) {
  if (!x_.is_function(*s.expr)) {
    const auto results = std::make_shared<Variable>(Variable{"results", list_of(Base::tensor)});
    add(S::define, results, x_.lower_results(*s.expr, s.targets.size()));
    return store_results(s, results);
  }
  Statement out = make_statement(S::unpack);
  out.value = x_.lower_results(*s.expr, s.targets.size());
  std::vector<size_t> later;
  for (size_t i = 0; i < s.targets.size(); ++i) {
    const std::string& name = s.targets[i].name;
    const Type given = out.value->function->results[i];
    const ExpressionLowering::Name* n = name == "_" ? nullptr : x_.find(name);
    const bool fresh = n == nullptr || (n->pending && n->type.base == given.base && n->type.list == given.list);
    if (name == "_") {
      out.variables.push_back(nullptr);
    } else if (fresh && direct_.count(name) == 0) {
      out.variables.push_back(x_.define(name, given));
    } else {
      out.variables.push_back(std::make_shared<Variable>(Variable{name, {given.base, given.list}}));
      later.push_back(i);
    }
  }
  const std::vector<VariablePtr> variables = out.variables;
  add(std::move(out));
  for (const size_t i : later) store(s, i, make_variable(variables[i]));
}

}  // namespace opgen::lowered
