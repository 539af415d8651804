#include "generator/lower/operator.h"

#include <algorithm>

#include "generator/lower/recipes.h"
#include "generator/lower/walk.h"

namespace opgen::lowered {
namespace {

using S = Statement::Kind;
using nlohmann::json;

ExprPtr text(const std::string& s) { return make_constant(s); }

double number(const json& value) { return value.is_number() ? value.get<double>() : 0.0; }
int64_t integer(const json& value) {
  return value.is_number_integer() ? value.get<int64_t>() : value.is_boolean() && value.get<bool>() ? 1 : 0;
}

/// A default of Paddle's as a constant of the language.
ExprPtr default_value(const Type& type, const json& value) {
  if (type.list) {
    std::vector<ExprPtr> items;
    if (value.is_array() && type.base != Base::string)
      for (const json& v : value) items.push_back(default_value(one(type.base), v));
    return make_list(type, std::move(items));
  }
  switch (type.base) {
    case Base::boolean: return make_constant((value.is_boolean() && value.get<bool>()) || number(value) != 0);
    case Base::floating: return make_constant(number(value));
    case Base::string: return text(value.is_string() ? value.get<std::string>() : "");
    default: return make_constant(integer(value));
  }
}

/// In Paddle's kernel, not by rule: opspecs/facts/params.json has the order that was measured.
bool tensor_first(const ParamFact& p) {
  const auto tensor = std::find(p.order.begin(), p.order.end(), "tensor");
  const auto list = std::find(p.order.begin(), p.order.end(), "list");
  return tensor != p.order.end() && list != p.order.end() && tensor < list;
}

class OperatorLowering {
 public:
  OperatorLowering(const CheckedOp& op, const Library& library)
      : op_(op), params_(params_of(op)), x_(library, params_), routine_(std::make_shared<Routine>()) {
    x_.block = &routine_->body;
  }

  RoutinePtr run() {
    routine_->name = op_.spec->op.text;
    routine_->doc = op_.spec->doc.text;
    routine_->spec = op_.spec->file;
    routine_->line = op_.spec->span.line;
    refusals();
    layout();
    for (const CheckedInput& i : op_.inputs) input(i);
    for (const CheckedAttr& a : op_.attrs) attr(a);
    for (const CheckedParam& p : op_.params) param(p);
    RecipeLowering(x_, results_, op_.spec->row.empty() ? "" : op_.spec->op.text).recipe(op_);
    prune(*routine_);
    inline_reads(*routine_);
    return routine_;
  }

 private:
  static std::map<std::string, ParamFact> params_of(const CheckedOp& op) {
    std::map<std::string, ParamFact> params;
    for (const CheckedParam& p : op.params) params[p.name] = p.sources;
    return params;
  }

  void define(const std::string& name, const Type& type, const ExprPtr& value) {
    Statement s;
    s.kind = S::define;
    s.variables = {x_.define(name, type)};
    s.value = value;
    routine_->body.push_back(std::move(s));
  }

  void refuse_if(const ExprPtr& condition, const std::string& code, const std::string& message) {
    Statement s, inside;
    inside.kind = S::refuse;
    inside.text = code;
    inside.values = {text(message)};
    s.kind = S::if_;
    s.value = condition;
    s.body.push_back(std::move(inside));
    routine_->body.push_back(std::move(s));
  }

  void refusals() {
    for (const std::string& slot : op_.refused_inputs)
      refuse_if(make_operation("has", {text(slot)}), "E_INPUT", "input '" + slot + "' is not supported");
    for (const AttrFact& a : op_.refused_fusions) {
      const ExprPtr set = a.type == "bool"
                              ? make_operation("attr", {text(a.name), make_constant(false)})
                              : make_operation("!=", {make_operation("attr", {text(a.name), text("")}), text("")});
      refuse_if(set, "E_FUSED", "'" + a.name + "' is set by Paddle's inference passes; export the model without them");
    }
  }

  void layout() {
    results_.list = op_.outputs;
    const std::string& attr = op_.spec->layout.text;
    if (attr.empty()) return;
    for (const Text& t : op_.spec->layout_names)
      (op_.fact.input(t.text) != nullptr && op_.fact.output(t.text) == nullptr ? channels_last_
                                                                               : results_.channels_last)
          .insert(t.text);
    const AttrFact* a = op_.fact.attr(attr);
    const std::string usual =
        a != nullptr && a->default_value.is_string() ? a->default_value.get<std::string>() : "NCHW";
    define("channels_last", one(Base::boolean),
           make_operation("is_channels_last", {make_operation("attr", {text(attr), text(usual)})}));
    results_.layout = routine_->body.back().variables[0];
  }

  void input(const CheckedInput& i) {
    ExprPtr value = make_operation(i.type.list ? "inputs" : "input", {text(i.name)});
    if (channels_last_.count(i.name) > 0)
      value = make_operation("to_channels_first", {value, make_variable(results_.layout)});
    define(i.name, i.type, value);
  }

  void attr(const CheckedAttr& a) {
    const json& usual = a.fact.default_value;
    if (a.type.base == Base::dtype)
      return define(
          a.fact.name, a.type,
          make_operation("attr_dtype",
                         {text(a.fact.name), make_constant(usual.is_number_integer() ? usual.get<int64_t>() : -1)}));
    define(a.fact.name, a.type, make_operation("attr", {text(a.fact.name), default_value(a.type, usual)}));
  }

  void param(const CheckedParam& p) {
    const bool floating = p.type.base == Base::scalar;
    const Type type{floating ? Base::floating : Base::integer, p.type.list};
    const json usual =
        floating || p.type.list || p.fact.default_value.is_number_integer() ? p.fact.default_value : json();
    define(p.name, p.type,
           make_operation(
               tensor_first(p.sources) ? "param_tensor_first" : "param",
               {text(p.sources.list_slot), text(p.sources.tensor_slot), text(p.name), default_value(type, usual)}));
  }

  const CheckedOp& op_;
  std::map<std::string, ParamFact> params_;
  ExpressionLowering x_;
  RoutinePtr routine_;
  Results results_;
  std::set<std::string> channels_last_;  ///< inputs that follow the layout attribute
};

}  // namespace

RoutinePtr lower_operator(const CheckedOp& op, const Library& library) { return OperatorLowering(op, library).run(); }

RoutinePtr lower_head(const CheckedFunction& f) {
  auto routine = std::make_shared<Routine>();
  routine->name = f.head.name;
  routine->doc = f.spec->doc.text;
  routine->spec = f.spec->file;
  routine->line = f.spec->head.span.line;
  for (const Parameter& r : f.head.results) routine->results.push_back({r.type.base, r.type.list});
  for (const Parameter& p : f.head.parameters)
    routine->parameters.push_back(std::make_shared<Variable>(Variable{p.name, {p.type.base, p.type.list}}));
  return routine;
}

void lower_function(const CheckedFunction& f, const Library& library, Routine* routine) {
  static const std::map<std::string, ParamFact> no_params;
  ExpressionLowering expressions(library, no_params);
  expressions.block = &routine->body;
  for (const VariablePtr& p : routine->parameters) expressions.bind(p->name, {p, nullptr, false, p->type});
  Results results;
  results.function = true;
  for (const Parameter& r : f.head.results) results.list.push_back({r.name, r.type});
  RecipeLowering(expressions, results, "").recipe(f);
  prune(*routine);
  routine->effect = effect_of(routine->body);
}

}  // namespace opgen::lowered
