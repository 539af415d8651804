#include "generator/lower/expressions.h"

#include <cctype>
#include <limits>
#include <stdexcept>

namespace opgen::lowered {
namespace {

using K = Expr::Kind;
using A = opgen::Expr::Kind;

Type plain(Type t) {
  t.optional = t.may_be_dynamic = false;
  return t;
}

/// What a temporary is called.
std::string hint(const Expr& e) {
  std::string name = "value";
  if (e.kind == K::node && e.group != nullptr) name = e.group->op;
  if (e.kind == K::fluid) name = std::get<std::string>(e.literal);
  if (e.kind == K::call) name = e.function->name;
  for (char& c : name) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return name;
}

}  // namespace

ExpressionLowering::Name* ExpressionLowering::find(const std::string& name) {
  for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope)
    if (const auto it = scope->find(name); it != scope->end()) return &it->second;
  return nullptr;
}

VariablePtr ExpressionLowering::define(const std::string& name, const Type& type) {
  auto variable = std::make_shared<Variable>(Variable{name, plain(type)});
  // A result that was awaited belongs to the scope that awaits it.
  if (Name* awaited = find(name); awaited != nullptr && awaited->pending)
    *awaited = {variable, nullptr, false, variable->type};
  else bind(name, {variable, nullptr, false, variable->type});
  return variable;
}

bool ExpressionLowering::is_function(const opgen::Expr& e) const {
  return e.kind == A::call && library_.heads.count(e.text) > 0;
}

void ExpressionLowering::add(Statement s) {
  if (s.line == 0) s.line = line;
  block->push_back(std::move(s));
}

Statement ExpressionLowering::statement(Statement::Kind kind, const VariablePtr& variable, const ExprPtr& value) const {
  Statement s;
  s.kind = kind;
  s.variables = {variable};
  s.value = value;
  s.line = line;
  return s;
}

// -- order -----------------------------------------------------------------------------------------------------------

ExprPtr ExpressionLowering::temporary(const ExprPtr& e, size_t position) {
  auto variable = std::make_shared<Variable>(Variable{hint(*e), e->type});
  block->insert(block->begin() + static_cast<std::ptrdiff_t>(position),
                statement(Statement::Kind::define, variable, e));
  return make_variable(variable);
}

std::vector<ExprPtr> ExpressionLowering::evaluate(const std::vector<Part>& parts, bool backwards) {
  std::vector<ExprPtr> values(parts.size());
  std::vector<size_t> waiting;  // evaluated in place, in this order
  for (size_t i = 0; i < parts.size(); ++i) {
    const size_t at = backwards ? parts.size() - 1 - i : i;
    size_t position = block->size();
    values[at] = parts[at]();
    const bool moved = block->size() > position;
    // What stood before this part must stay before the statements that it made.
    if (moved || (backwards && has_order(values[at]))) {
      if (!moved) position = block->size();
      for (const size_t earlier : waiting) values[earlier] = temporary(values[earlier], position++);
      waiting.clear();
    }
    if (has_order(values[at])) waiting.push_back(at);
  }
  return values;
}

ExprPtr ExpressionLowering::lower_apart(const Part& part, Block* into) {
  Block* const outside = block;
  block = into;
  ExprPtr value = part();
  block = outside;
  return value;
}

// -- values ----------------------------------------------------------------------------------------------------------

ExprPtr ExpressionLowering::lower(const opgen::Expr& e) {
  switch (e.kind) {
    case A::integer: return make_constant(e.integer_value);
    case A::floating: return make_constant(e.floating_value);
    case A::string: return make_constant(e.text);
    case A::boolean: return make_constant(e.integer_value != 0);
    case A::omitted: return make_omitted(Base::operand);
    case A::name: return name(e);
    case A::list: {
      std::vector<Part> parts;
      const Type type = is_empty_list(e.type) ? list_of(Base::integer) : plain(e.type);
      for (const opgen::ExprPtr& a : e.args) parts.emplace_back([&, a] { return lower_as(*a, one(type.base)); });
      return make_list(type, evaluate(parts, false));
    }
    case A::unary: {
      if (e.text == "not") return make_not(lower(*e.args[0]));
      if (e.type.base == Base::tensor) return node("Neg", {operand(*e.args[0])});
      return operation("neg", {e.args[0].get()}, {e.type});
    }
    case A::binary: return binary(e);
    case A::conditional: return choice(e, e.type);
    case A::call: return call(e);
    case A::index:
      return operation("at", {e.args[0].get(), e.args[1].get()}, {e.args[0]->type, one(Base::integer)},
                       e.args[0]->source);
    case A::slice: {
      const auto bound = [&](size_t i, int64_t otherwise) -> Part {
        return [&, i, otherwise] {
          return e.args[i] ? lower_as(*e.args[i], one(Base::integer)) : make_constant(otherwise);
        };
      };
      return make_operation("slice", evaluate({[&] { return lower(*e.args[0]); }, bound(1, 0),
                                               bound(2, std::numeric_limits<int64_t>::max())},
                                              true));
    }
    case A::comprehension: return comprehension(e);
  }
  return nullptr;
}

ExprPtr ExpressionLowering::lower_as(const opgen::Expr& e, const Type& wanted) {
  const Type want = plain(wanted);
  if (is_unknown(want)) return lower(e);
  if (e.kind == A::omitted) return make_omitted(want.base);
  if (e.kind == A::conditional && !(e.type == wanted)) return choice(e, want);
  if (e.kind == A::list && want.list) {
    std::vector<Part> parts;
    for (const opgen::ExprPtr& a : e.args) parts.emplace_back([&, a] { return lower_as(*a, one(want.base)); });
    return make_list(want, evaluate(parts, false));
  }
  if (want.base == Base::tensor && !want.list) {
    if (e.type.base == Base::tensor && !e.type.list) return lower(e);
    return make_conversion(lower_as(e, one(Base::operand)), want, e.source);
  }
  if (want.base == Base::operand && !want.list) return operand(e);
  return make_conversion(lower(e), want, e.source);
}

ExprPtr ExpressionLowering::operand(const opgen::Expr& e) {
  if (e.kind == A::omitted) return make_omitted(Base::operand);
  if (e.kind == A::conditional && e.type.base != Base::operand) return choice(e, one(Base::operand));
  return make_conversion(lower(e), one(Base::operand), e.source);
}

ExprPtr ExpressionLowering::name(const opgen::Expr& e) {
  if (!e.constant) {
    const Name* n = find(e.text);
    return n->constant ? n->constant : make_variable(n->variable);
  }
  if (e.text == "pi") return make_constant(3.14159265358979323846);
  if (e.text == "inf") return make_constant(std::numeric_limits<double>::infinity());
  if (e.text == "nan") return make_constant(std::numeric_limits<double>::quiet_NaN());
  if (e.text == "to_end") return make_constant(std::numeric_limits<int64_t>::max());
  if (e.text == "opset") return make_operation("opset", {});
  return make_constant(DtypeName{e.text});
}

ExprPtr ExpressionLowering::operation(const std::string& name, const std::vector<const opgen::Expr*>& args,
                                      const std::vector<Type>& types, const std::string& subject) {
  std::vector<Part> parts;
  for (size_t i = 0; i < args.size(); ++i) parts.emplace_back([&, i] { return lower_as(*args[i], types[i]); });
  return make_operation(name, evaluate(parts, true), subject);
}

ExprPtr ExpressionLowering::logic(const opgen::Expr& e) {
  const bool both = e.text == "and";
  const ExprPtr first = lower(*e.args[0]);
  if (truth(first) == !both) return first;
  Block rest;
  const ExprPtr second = lower_apart([&] { return lower(*e.args[1]); }, &rest);
  if (rest.empty()) return both ? make_both(first, second) : make_either(first, second);
  auto value = std::make_shared<Variable>(Variable{"holds", one(Base::boolean)});
  add(statement(Statement::Kind::define, value, first));
  rest.push_back(statement(Statement::Kind::assign, value, second));
  Statement choose;
  choose.kind = Statement::Kind::if_;
  choose.value = both ? make_variable(value) : make_not(make_variable(value));
  choose.body = std::move(rest);
  add(std::move(choose));
  return make_variable(value);
}

ExprPtr ExpressionLowering::membership(const opgen::Expr& e) {
  const Type element = unify(e.args[0]->type, one(e.args[1]->type.base));
  const Base base = element.base == Base::dim ? Base::integer : element.base;
  return operation(e.text == "in" ? "in" : "not_in", {e.args[0].get(), e.args[1].get()}, {one(base), list_of(base)});
}

ExprPtr ExpressionLowering::binary(const opgen::Expr& e) {
  const opgen::Expr& a = *e.args[0];
  const opgen::Expr& b = *e.args[1];
  const std::string& o = e.text;
  if (o == "and" || o == "or") return logic(e);
  if (o == "in" || o == "not_in") return membership(e);
  if (o == "==" || o == "!=" || o == "<" || o == "<=" || o == ">" || o == ">=") {
    Type both = unify(a.type, b.type);
    if (both.base == Base::dim) both.base = Base::integer;
    if (both.base == Base::scalar) both.base = Base::floating;
    return operation(o, {&a, &b}, {both, both});
  }
  if (e.type.base == Base::tensor && !e.type.list)
    return node(operator_node(o), evaluate({[&] { return operand(a); }, [&] { return operand(b); }}, false));
  if (e.type.list && o == "*") return operation(o, {&a, &b}, {a.type, one(Base::integer)});
  return operation(o, {&a, &b}, {e.type, e.type});
}

ExprPtr ExpressionLowering::choice(const opgen::Expr& e, const Type& wanted) {
  const Type want = plain(wanted);
  const ExprPtr condition = lower(*e.args[1]);
  if (const auto known = truth(condition)) return lower_as(*e.args[*known ? 0 : 2], want);
  Block then, otherwise;
  const ExprPtr a = lower_apart([&] { return lower_as(*e.args[0], want); }, &then);
  const ExprPtr b = lower_apart([&] { return lower_as(*e.args[2], want); }, &otherwise);
  if (then.empty() && otherwise.empty()) return make_choice(condition, a, b);
  auto value = std::make_shared<Variable>(Variable{"chosen", want});
  add(statement(Statement::Kind::declare, value, nullptr));
  then.push_back(statement(Statement::Kind::assign, value, a));
  otherwise.push_back(statement(Statement::Kind::assign, value, b));
  Statement choose;
  choose.kind = Statement::Kind::if_;
  choose.value = condition;
  choose.body = std::move(then);
  choose.otherwise = std::move(otherwise);
  add(std::move(choose));
  return make_variable(value);
}

std::vector<ExprPtr> ExpressionLowering::lower_sources(const opgen::Expr& source) {
  const bool zip = source.kind == A::call && source.text == "zip";
  const bool enumerate = source.kind == A::call && source.text == "enumerate";
  std::vector<const opgen::Expr*> lists;
  if (zip || enumerate)
    for (const opgen::ExprPtr& a : source.args) lists.push_back(a.get());
  else lists.push_back(&source);
  std::vector<Part> parts;
  for (const opgen::Expr* list : lists) parts.emplace_back([this, list] { return lower(*list); });
  std::vector<ExprPtr> sources = evaluate(parts, true);
  ExprPtr indices;
  if (enumerate) {
    if (sources[0]->kind != K::variable) sources[0] = temporary(sources[0], block->size());
    indices = make_operation("indices", {sources[0]}, lists[0]->source);
  }
  // Last: no variable holds items.
  for (size_t i = 0; i < lists.size(); ++i)
    if (sources[i]->type.base == Base::dim) sources[i] = make_operation("items", {sources[i]}, lists[i]->source);
  if (enumerate) sources.insert(sources.begin(), indices);
  return sources;
}

ExprPtr ExpressionLowering::comprehension(const opgen::Expr& e) {
  auto out = std::make_shared<Expr>();
  out->kind = K::each;
  out->type = plain(e.type);
  out->args = lower_sources(*e.args[1]);
  push();
  for (size_t i = 0; i < e.vars.size(); ++i) out->variables.push_back(define(e.vars[i], one(out->args[i]->type.base)));
  Block filtering;
  if (e.args[2]) out->filter = lower_apart([&] { return lower(*e.args[2]); }, &filtering);
  out->value = lower_apart([&] { return lower_as(*e.args[0], e.nested ? out->type : one(e.type.base)); }, &out->body);
  if (!filtering.empty())
    throw std::logic_error("the condition of '" + e.source + "' emits nodes in more than one place");
  pop();
  for (const ExprPtr& a : out->args) out->effect = worse(out->effect, a->effect);
  out->effect = worse(out->effect, out->value->effect);
  if (!out->body.empty()) out->effect = Effect::emits;
  return out;
}

}  // namespace opgen::lowered
