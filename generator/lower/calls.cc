// Calls: nodes of ONNX, functions of the library, built-ins.
#include "generator/check/fluid_call.h"
#include "generator/lower/expressions.h"

namespace opgen::lowered {
namespace {

using K = Expr::Kind;
using A = opgen::Expr::Kind;

bool is_tensor_list(const Type& t) { return t.list && (t.base == Base::tensor || t.base == Base::operand); }

}  // namespace

ExprPtr ExpressionLowering::call(const opgen::Expr& e) {
  if (is_onnx_name(e.text)) return node(e, 1);
  if (e.fluid != nullptr) return fluid(e, 1);
  if (!is_function(e)) return builtin_call(e);
  const ExprPtr all = function_call(e);
  if (all->function->results.size() == 1) return all;
  auto first = std::make_shared<Expr>();
  first->kind = K::result;
  first->type = all->function->results[0];
  first->effect = all->effect;
  first->args = {all};
  return first;
}

ExprPtr ExpressionLowering::lower_results(const opgen::Expr& e, size_t results) {
  if (e.fluid != nullptr) return fluid(e, results);
  return is_function(e) ? function_call(e) : node(e, results);
}

ExprPtr ExpressionLowering::function_call(const opgen::Expr& e) {
  const auto& parameters = library_.heads.at(e.text)->head.parameters;
  std::vector<Part> parts;
  for (size_t i = 0; i < parameters.size(); ++i)
    parts.emplace_back([&, i] { return lower_as(*e.args[i], parameters[i].type); });
  auto out = std::make_shared<Expr>();
  out->kind = K::call;
  out->function = library_.routines.at(e.text).get();
  out->type = out->function->results[0];
  out->args = evaluate(parts, true);
  out->effect = out->function->effect;
  for (const ExprPtr& a : out->args) out->effect = worse(out->effect, a->effect);
  return out;
}

// -- nodes -----------------------------------------------------------------------------------------------------------

ExprPtr ExpressionLowering::node(const std::string& op, const std::vector<ExprPtr>& operands) {
  auto out = std::make_shared<Expr>();
  out->kind = K::node;
  out->type = one(Base::tensor);
  out->effect = Effect::emits;
  out->group = library_.onnx.find(op, 0);
  out->args = {make_list(list_of(Base::operand), operands)};
  return out;
}

/// One list of operands: given one by one, as a list of tensors, or both.
ExprPtr ExpressionLowering::operands(const std::vector<opgen::ExprPtr>& args) {
  const Type all = list_of(Base::operand);
  bool lists = false;
  for (const opgen::ExprPtr& a : args) lists = lists || is_tensor_list(a->type);
  std::vector<Part> parts;
  for (const opgen::ExprPtr& a : args) {
    parts.emplace_back([this, a, all, lists]() -> ExprPtr {
      if (is_tensor_list(a->type)) return make_conversion(lower(*a), all, a->source);
      const ExprPtr item = operand(*a);
      return lists ? make_list(all, {item}) : item;
    });
  }
  const std::vector<ExprPtr> values = evaluate(parts, lists);
  if (!lists) return make_list(all, values);
  ExprPtr joined = values[0];
  for (size_t i = 1; i < values.size(); ++i) joined = make_operation("join", {joined, values[i]});
  return joined;
}

ExprPtr ExpressionLowering::attribute(const OnnxAttr& attr, const opgen::Expr& e) {
  const Base given = e.type.base;
  const bool as_given = attr.type == OnnxAttr::Type::integer && (given == Base::boolean || given == Base::dtype);
  const ExprPtr value = lower_as(e, as_given ? e.type : attr.value_type());
  // An attribute that is a tensor holds the constant itself, not a tensor of the graph.
  if (attr.type == OnnxAttr::Type::tensor && value->kind == K::operation && value->operation->name == "constant")
    return make_operation("constant_data", value->args);
  return value;
}

std::vector<ExprPtr> ExpressionLowering::keywords(const opgen::Expr& e, std::vector<Part> parts,
                                                  const Argument& argument, Expr* out) {
  const size_t first = parts.size();
  const opgen::Expr* count = nullptr;
  for (const Keyword& k : e.keywords) {
    if (k.name == "results") {
      count = k.value.get();
      continue;
    }
    out->attributes.emplace_back(k.name, nullptr);
    parts.emplace_back([&] { return argument(k); });
  }
  if (count != nullptr) parts.emplace_back([&] { return lower_as(*count, one(Base::integer)); });
  const std::vector<ExprPtr> values = evaluate(parts, true);
  for (size_t i = 0; i < out->attributes.size(); ++i) out->attributes[i].second = values[first + i];
  if (count != nullptr) out->count = values.back();
  return values;
}

/// All results of what gives several, or the first one.
ExprPtr ExpressionLowering::several(const std::shared_ptr<Expr>& call, const opgen::Expr& e, size_t results) {
  if (!call->count) call->count = make_constant(static_cast<int64_t>(results));
  call->type = list_of(Base::tensor);
  if (results > 1 || e.type.list) return call;
  return make_operation("at", {call, make_constant(int64_t{0})});
}

ExprPtr ExpressionLowering::node(const opgen::Expr& e, size_t results) {
  auto out = std::make_shared<Expr>();
  out->kind = K::node;
  out->effect = Effect::emits;
  out->group = library_.onnx.find(e.text, e.version);
  const auto argument = [&](const Keyword& k) { return attribute(out->group->newest().attrs.at(k.name), *k.value); };
  out->args = {keywords(e, {[&] { return operands(e.args); }}, argument, out.get())[0]};
  if (gives_many(*out->group)) return several(out, e, results);
  out->count = nullptr;
  out->type = one(Base::tensor);
  return out;
}

ExprPtr ExpressionLowering::fluid_argument(const FluidArgument& argument, const opgen::Expr& e) {
  using Kind = FluidArgument::Kind;
  const Type operands = list_of(Base::operand);
  switch (argument.kind) {
    case Kind::attr:
      return lower_as(e, e.type.base == Base::dtype || e.type.base == Base::boolean ? e.type : argument.type);
    case Kind::param:
      return make_list(operands, {make_conversion(lower_as(e, argument.type), one(Base::operand), e.source)});
    default:
      if (is_tensor_list(e.type)) return make_conversion(lower(e), operands, e.source);
      return make_list(operands, {operand(e)});
  }
}

ExprPtr ExpressionLowering::fluid(const opgen::Expr& e, size_t results) {
  auto out = std::make_shared<Expr>();
  out->kind = K::fluid;
  out->effect = Effect::emits;
  out->literal = fluid_operator(e.text);
  const auto argument = [&](const Keyword& k) {
    return fluid_argument(opgen::fluid_argument(*e.fluid, k.name), *k.value);
  };
  keywords(e, {}, argument, out.get());
  out->type = one(Base::tensor);
  const bool one_result = results == 1 && !out->count && !e.type.list;
  return one_result ? out : several(out, e, results);
}

// -- built-ins -------------------------------------------------------------------------------------------------------

/// What asks about a name, not about its value.
ExprPtr ExpressionLowering::about_slot(const opgen::Expr& e) {
  const opgen::Expr& slot = *e.args[0];
  if (e.text == "lengths") {
    const ExprPtr level = e.args.size() > 1 ? lower_as(*e.args[1], one(Base::integer)) : make_constant(int64_t{-1});
    return make_operation(find_builtin(e.text)->forms[slot.type.list ? 1 : 0], {make_constant(slot.text), level});
  }
  if (e.text == "lod_level")
    return make_operation(find_builtin(e.text)->forms[slot.type.list ? 1 : 0], {make_constant(slot.text)});
  if (e.text == "dtype" || e.text == "len")
    return make_operation(find_builtin(e.text)->forms.back(), {make_constant(slot.text)});
  if (e.text != "has") return make_operation(find_builtin(e.text)->forms[0], {make_constant(slot.text)});
  if (slot.subject == NameKind::param) {
    const ParamFact& p = params_.at(slot.text);
    return make_operation("has_param",
                          {make_constant(p.list_slot), make_constant(p.tensor_slot), make_constant(slot.text)});
  }
  if (slot.subject == NameKind::attr) return make_operation("has_attr", {make_constant(slot.text)});
  return make_operation(slot.type.list ? "filled" : "present", {name(slot)});
}

/// min and max of any number of numbers.
ExprPtr ExpressionLowering::extreme(const opgen::Expr& e) {
  const Builtin& b = *find_builtin(e.text);
  if (e.args.size() == 1 && e.args[0]->type.list)
    return make_operation(*find_form(b, {e.args[0]->type}), {lower(*e.args[0])});
  const Operation& two = *find_form(b, {e.type, e.type});
  ExprPtr out = lower_as(*e.args[0], e.type);
  for (size_t i = 1; i < e.args.size(); ++i) {
    const ExprPtr before = out;
    const std::vector<ExprPtr> pair =
        evaluate({[&] { return before; }, [&] { return lower_as(*e.args[i], e.type); }}, true);
    out = make_operation(two, pair);
  }
  return out;
}

ExprPtr ExpressionLowering::builtin_call(const opgen::Expr& e) {
  const Builtin& b = *find_builtin(e.text);
  const std::string& n = e.text;
  const bool declared = (n == "dtype" || n == "len") && e.args[0]->subject == NameKind::output;
  if (declared || n == "used" || n == "has" || n == "is_complex" || n == "lengths" || n == "lod" || n == "lod_level")
    return about_slot(e);
  if (n == "known" && e.args[0]->kind == A::call && e.args[0]->text == "rank")
    return make_operation("rank_known", {lower_as(*e.args[0]->args[0], one(Base::tensor))});
  if (n == "since") return make_operation(b.forms[0], {make_constant(e.args[0]->integer_value)});
  if (n == "min" || n == "max") return extreme(e);
  if (n == "float" && e.args[0]->type.base != Base::string) return lower_as(*e.args[0], e.type);
  std::vector<Type> given;
  for (const opgen::ExprPtr& a : e.args) given.push_back(is_empty_list(a->type) ? list_of(Base::integer) : a->type);
  const Operation& form = *find_form(b, given);
  const std::vector<Type> types = parameter_types(form, given);
  std::vector<Part> parts;
  for (size_t i = 0; i < e.args.size(); ++i) parts.emplace_back([&, i] { return lower_as(*e.args[i], types[i]); });
  return make_operation(form, evaluate(parts, true), e.args[0]->source);
}

}  // namespace opgen::lowered
