#include "interpreter/run.h"

namespace fluid2onnx::interpreter {

using K = opgen::lowered::Expr::Kind;

Any Run::evaluate(const Expr& e) {
  switch (e.kind) {
    case K::constant: return literal(e.literal);
    case K::omitted:
      if (e.type.base == opgen::Base::tensor) return Value();
      return Operand();
    case K::variable: return variables_.at(e.variable.get());
    case K::operation: return operation(e);
    case K::node: return node(e);
    case K::fluid: return fluid(e);
    case K::call: {
      const std::vector<Any> results = call(e);
      return results.empty() ? Any() : results[0];  // what rows share gives nothing
    }
    case K::result: return call(*e.args[0])[e.index];
    case K::list: return list_of(kind_of(e.type), in_order(e.args));
    case K::choice: return as(kind_of(e.type), evaluate(get<bool>(*e.args[0]) ? *e.args[1] : *e.args[2]));
    case K::both: return get<bool>(*e.args[0]) && get<bool>(*e.args[1]);
    case K::either: return get<bool>(*e.args[0]) || get<bool>(*e.args[1]);
    case K::each: return each(e);
  }
  return {};
}

std::vector<Any> Run::in_order(const std::vector<ExprPtr>& list) {
  std::vector<Any> values;
  for (const ExprPtr& e : list) values.push_back(evaluate(*e));
  return values;
}

std::vector<Any> Run::backwards(const std::vector<ExprPtr>& list) {
  std::vector<Any> values(list.size());
  for (size_t i = list.size(); i-- > 0;) values[i] = evaluate(*list[i]);
  return values;
}

Any Run::operation(const Expr& e) {
  const Step& step = program_.step(e);
  std::vector<Any> arguments = backwards(e.args);
  for (size_t i = 0; i < arguments.size(); ++i) arguments[i] = as(step.parameters[i], std::move(arguments[i]));
  return step.operation->run({op_, arguments, step.subject.c_str()});
}

Any Run::node(const Expr& e) {
  const NodeBuilder* builder =
      e.variable ? std::get<const NodeBuilder*>(variables_.at(e.variable.get())) : &program_.node(*e.group);
  if (e.args.empty()) return builder;  // given to what rows share
  const int64_t results = e.count ? get<int64_t>(*e.count) : 1;
  Attrs attributes;
  for (const auto& [name, value] : e.attributes) attributes.push_back(attribute(name, evaluate(*value)));
  auto operands = get<Operands>(*e.args[0]);
  return builder->emit(op_, std::move(operands), std::move(attributes), results);
}

Any Run::fluid(const Expr& e) {
  if (e.type.base == opgen::Base::string) return std::get<std::string>(e.literal);  // given to what rows share
  const auto type = std::get<std::string>(e.variable ? variables_.at(e.variable.get()) : Any(literal(e.literal)));
  const int64_t results = e.count ? get<int64_t>(*e.count) : 1;
  FluidOperands operands;
  Attrs attributes;
  for (const auto& [name, value] : e.attributes) {
    const bool operand = value->type.list && value->type.base == opgen::Base::operand;
    if (operand) operands.emplace_back(name.c_str(), get<Operands>(*value));
    else attributes.push_back(attribute(name, evaluate(*value)));
  }
  Values values = op_.fluid(type, operands, attributes, results);
  if (e.count) return values;
  return values.front();
}

std::vector<Any> Run::call(const Expr& e) { return Run(program_, op_, lines_).routine(*e.function, backwards(e.args)); }

Any Run::each(const Expr& e) {
  std::vector<Any> items;
  for_each(e.variables, backwards(e.args), [&] {
    if (e.filter && !get<bool>(*e.filter)) return true;
    execute(e.body);
    Any value = evaluate(*e.value);
    if (!e.value->type.list) {
      items.push_back(std::move(value));
      return true;
    }
    std::vector<Any> part = elements(value);
    items.insert(items.end(), part.begin(), part.end());
    return true;
  });
  return list_of(kind_of(e.type), std::move(items));
}

Values Run::values(const std::vector<ExprPtr>& list) {
  Values out;
  for (const ExprPtr& e : list) out.push_back(get<Value>(*e));
  return out;
}

}  // namespace fluid2onnx::interpreter
