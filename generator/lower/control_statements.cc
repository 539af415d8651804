// Statements with bodies in lowered form: choices, repetitions, ONNX loops and branches.
#include "generator/lower/recipes.h"

namespace opgen::lowered {

void RecipeLowering::choose(const CheckedStatement& s) {
  Statement out = make_statement(Statement::Kind::if_);
  out.value = x_.lower(*s.expr);
  for (const opgen::Variable& v : s.before)  // an `if` around this one may have declared it
    if (x_.find(v.name) == nullptr) add(Statement::Kind::declare, x_.define(v.name, v.type), nullptr);
  out.body = inside(s.body);
  out.otherwise = inside(s.otherwise);
  add(std::move(out));
}

void RecipeLowering::repeat(const CheckedStatement& s) {
  Statement out = make_statement(Statement::Kind::for_);
  out.values = x_.lower_sources(*s.expr);
  x_.push();
  for (size_t i = 0; i < s.targets.size(); ++i)
    out.variables.push_back(x_.define(s.targets[i].name, one(out.values[i]->type.base)));
  out.body = inside(s.body);
  x_.pop();
  add(std::move(out));
}

/// A name as a tensor, where it may hold a number.
ExprPtr RecipeLowering::tensor_named(const std::string& name) {
  return make_conversion(make_variable(x_.find(name)->variable), one(Base::tensor), name);
}

/// Assigns the items of `results` to the targets of the statement.
void RecipeLowering::store_results(const CheckedStatement& s, const VariablePtr& results) {
  for (size_t i = 0; i < s.targets.size(); ++i)
    store(s, i, make_operation("at", {make_variable(results), make_constant(static_cast<int64_t>(i))}));
}

void RecipeLowering::loop(const CheckedStatement& s) {
  Statement out = make_statement(Statement::Kind::loop);
  const Type operand = one(Base::operand);
  const auto maybe = [&](const opgen::ExprPtr& e) {
    return e ? x_.lower_as(*e, operand) : make_omitted(Base::operand);
  };
  const auto first = [&]() -> ExprPtr {
    std::vector<ExpressionLowering::Part> parts;
    for (const Target& t : s.state) parts.emplace_back([&] { return tensor_named(t.name); });
    return make_list(list_of(Base::tensor), x_.evaluate(parts, false));
  };
  out.values = x_.evaluate({[&] { return maybe(s.trips); }, [&] { return maybe(s.cond); }, first}, true);
  Block* const outside = x_.block;
  x_.block = &out.body;
  x_.push();
  out.iteration.number = x_.define(s.iteration.empty() ? "iteration" : s.iteration, one(Base::tensor));
  for (const Target& t : s.state) out.iteration.state.push_back(x_.define(t.name, one(Base::tensor)));
  statements(s.body, {});
  out.iteration.cond = maybe(s.cond);
  for (const Target& t : s.state) out.iteration.carried.push_back(tensor_named(t.name));
  for (const Target& t : s.scan_outputs) out.iteration.scan_outputs.push_back(tensor_named(t.name));
  x_.pop();
  x_.block = outside;
  const auto results = std::make_shared<Variable>(Variable{"loop", list_of(Base::tensor)});
  out.variables = {results};
  add(std::move(out));
  store_results(s, results);
}

void RecipeLowering::branch(const CheckedStatement& s) {
  Statement out = make_statement(Statement::Kind::branch);
  out.value = x_.lower_as(*s.expr, one(Base::operand));
  const std::set<std::string> outside_direct = direct_;
  Block* const outside = x_.block;
  for (int side = 0; side < 2; ++side) {
    x_.block = side == 0 ? &out.body : &out.otherwise;
    x_.push();
    std::vector<std::string> pending;
    for (const Target& t : s.targets) {
      direct_.erase(t.name);
      x_.bind(t.name, {nullptr, nullptr, true, one(Base::tensor)});
      pending.push_back(t.name);
    }
    statements(side == 0 ? s.body : s.otherwise, pending);
    for (const Target& t : s.targets) (side == 0 ? out.iteration : out.other).carried.push_back(tensor_named(t.name));
    x_.pop();
  }
  x_.block = outside;
  direct_ = outside_direct;
  const auto results = std::make_shared<Variable>(Variable{"branch", list_of(Base::tensor)});
  out.variables = {results};
  add(std::move(out));
  store_results(s, results);
}

}  // namespace opgen::lowered
