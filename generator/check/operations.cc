// Operators and the other operations that recipes are lowered to, and the choice of one by the types given.
#include <algorithm>

#include "generator/check/builtins.h"
#include "generator/diagnostics/text.h"

namespace opgen {
namespace {

/// How a parameter takes a type, the worst first.
enum class Fit : uint8_t { no, narrowing, widening, open, exact };

Fit fits(const std::string& parameter, const Type& given) {
  if (parameter == "any" || parameter == "slot") return Fit::open;
  if (parameter == "list") return given.list ? Fit::open : Fit::no;
  const Type want = parse_type(parameter);
  if (want.base == given.base && want.list == given.list) return Fit::exact;
  if (want.base == Base::tensor && !want.list) return is_tensorish(given) ? Fit::widening : Fit::no;
  if (want.base == Base::operand && !want.list) return converts(given, want) ? Fit::widening : Fit::no;
  if (is_empty_list(given) && want.list) return Fit::widening;
  if (want.list != given.list || !converts(given, want)) return Fit::no;
  return unify(given, want).base == want.base ? Fit::widening : Fit::narrowing;
}

Fit fits(const Operation& operation, const std::vector<Type>& given) {
  const std::vector<std::string> parameters = split(operation.parameters);
  if (parameters.size() != given.size()) return Fit::no;
  Fit worst = Fit::exact;
  for (size_t i = 0; i < given.size(); ++i) worst = std::min(worst, fits(parameters[i], given[i]));
  return worst;
}

/// Lowering chooses these by the name that they are given.
bool asks_about_slot(const Operation& operation) { return std::string_view(operation.parameters).starts_with("slot"); }

const Operation* best(const std::vector<const Operation*>& list, const std::vector<Type>& given) {
  for (const Fit wanted : {Fit::exact, Fit::open, Fit::widening, Fit::narrowing})
    for (const Operation* o : list)
      if (fits(*o, given) == wanted) return o;
  return nullptr;
}

}  // namespace

const std::vector<Operation>& operations() {
  constexpr Effect none = Effect::none, refuses = Effect::refuses, computes = Effect::computes, emits = Effect::emits;
  static const std::vector<Operation> table{
      // -- operators
      {"not", "bool", "bool", none, "!$1"},
      {"neg", "int", "int", none, "-$1"},
      {"neg", "float", "float", none, "-$1"},
      {"neg", "dim", "dim", computes, "neg(op, $1)"},
      {"neg", "scalar", "scalar", computes, "neg(op, $1)"},
      {"+", "int, int", "int", none, "$1 + $2"},
      {"+", "float, float", "float", none, "$1 + $2"},
      {"+", "dim, dim", "dim", computes, "add(op, $1, $2)"},
      {"+", "scalar, scalar", "scalar", computes, "add(op, $1, $2)"},
      {"+", "string, string", "string", none, "$1 + $2"},
      {"+", "dims, dims", "dims", computes, "concat(op, $1, $2)"},
      {"+", "list, list", "same", none, "concat($1, $2)"},
      {"-", "int, int", "int", none, "$1 - $2"},
      {"-", "float, float", "float", none, "$1 - $2"},
      {"-", "dim, dim", "dim", computes, "sub(op, $1, $2)"},
      {"-", "scalar, scalar", "scalar", computes, "sub(op, $1, $2)"},
      {"*", "int, int", "int", none, "$1 * $2"},
      {"*", "float, float", "float", none, "$1 * $2"},
      {"*", "dim, dim", "dim", computes, "mul(op, $1, $2)"},
      {"*", "scalar, scalar", "scalar", computes, "mul(op, $1, $2)"},
      {"*", "list, int", "same", none, "repeat($1, $2)"},
      {"/", "float, float", "float", none, "$1 / $2"},
      {"/", "scalar, scalar", "scalar", computes, "div(op, $1, $2)"},
      {"//", "int, int", "int", refuses, "floordiv($1, $2)"},
      {"//", "dim, dim", "dim", computes, "floordiv(op, $1, $2)"},
      {"%", "int, int", "int", refuses, "mod($1, $2)"},
      {"%", "dim, dim", "dim", computes, "mod(op, $1, $2)"},
      {"**", "int, int", "int", refuses, "ipow($1, $2)"},
      {"**", "float, float", "float", none, "std::pow($1, $2)"},
      {"==", "any, any", "bool", none, "$1 == $2"},
      {"!=", "any, any", "bool", none, "$1 != $2"},
      {"<", "any, any", "bool", none, "$1 < $2"},
      {"<=", "any, any", "bool", none, "$1 <= $2"},
      {">", "any, any", "bool", none, "$1 > $2"},
      {">=", "any, any", "bool", none, "$1 >= $2"},
      {"in", "any, list", "bool", none, "contains($2, $1)"},
      {"not_in", "any, list", "bool", none, "!contains($2, $1)"},
      {"at", "dims, int", "dim", refuses, "item(op, $1, $2, $what)"},
      {"at", "list, int", "element", none, "at($1, $2)"},
      {"slice", "dims, int, int", "dims", computes, "slice(op, $1, $2, $3)"},
      {"slice", "list, int, int", "same", none, "slice($1, $2, $3)"},
      {"opset", "", "int", none, "op.opset()"},

      // -- conversions: refused where a number must be known and is not
      {"convert", "dim", "int", refuses, "known(op, $1, $what)"},
      {"convert", "dims", "ints", refuses, "known(op, $1, $what)"},
      {"convert", "scalar", "float", refuses, "known(op, $1, $what)"},
      {"convert", "scalars", "floats", refuses, "known(op, $1, $what)"},
      {"convert", "int", "float", none, "static_cast<double>($1)"},
      {"convert", "int", "dim", none, "~Dim($1)"},
      {"convert", "float", "scalar", none, "~Scalar($1)"},
      {"convert", "dim", "scalar", computes, "to_scalar(op, $1)"},
      {"convert", "ints", "dims", none, "~Dims($1)"},
      {"convert", "ints", "floats", none, "convert<Floats>($1)"},
      {"convert", "ints", "scalars", none, "convert<Scalars>($1)"},
      {"convert", "floats", "scalars", none, "convert<Scalars>($1)"},
      {"convert", "tensors", "operands", none, "operands($1)"},
      {"convert", "any", "operand", none, "~Operand($1)"},
      {"convert", "operand", "tensor", emits, "op.tensor($1)"},

      // -- what recipes ask and do without saying so
      {"items", "dims", "dims", refuses, "items(op, $1, $what)"},  // of a known length, to be walked
      {"indices", "dims", "ints", refuses, "range(0, length(op, $1, $what))"},
      {"indices", "list", "ints", none, "range(0, length($1))"},
      {"show", "any", "string", none, "show($1)"},
      {"present", "tensor", "bool", none, "bool($1)"},
      {"filled", "list", "bool", none, "!$1.empty()"},
      {"empty", "list", "bool", none, "$1.empty()"},
      {"has", "slot", "bool", none, "op.has($1)"},
      {"set_lod", "slot, tensors", "bool", emits, "op.set_lod($1, $2)"},
      {"set_all_lengths", "slot, tensors", "bool", emits, "set_all_lengths(op, $1, $2)"},
      {"has_attr", "slot", "bool", none, "op.has_attr($1)"},
      {"has_param", "slot, slot, slot", "bool", none, "op.has_param({$1, $2, $3})"},
      {"input", "slot", "tensor", none, "op.input($1)"},
      {"inputs", "slot", "tensors", none, "op.inputs($1)"},
      {"attr", "slot, bool", "bool", none, "op.attr_bool($1, $2)"},
      {"attr", "slot, int", "int", none, "op.attr_int($1, $2)"},
      {"attr", "slot, float", "float", none, "op.attr_float($1, $2)"},
      {"attr", "slot, string", "string", none, "op.attr_string($1, $2)"},
      {"attr", "slot, ints", "ints", none, "op.attr_ints($1, $2)"},
      {"attr", "slot, floats", "floats", none, "op.attr_floats($1, $2)"},
      {"attr", "slot, strings", "strings", none, "op.attr_strings($1, $2)"},
      {"attr_dtype", "slot, int", "dtype", none, "op.attr_dtype($1, dtype_from_paddle($2))"},
      {"param", "slot, slot, slot, ints", "dims", computes, "op.param_ints({$1, $2, $3}, $4)"},
      {"param_tensor_first", "slot, slot, slot, ints", "dims", computes, "op.param_ints({$1, $2, $3, true}, $4)"},
      {"param", "slot, slot, slot, int", "dim", computes, "op.param_int({$1, $2, $3}, $4)"},
      {"param_tensor_first", "slot, slot, slot, int", "dim", computes, "op.param_int({$1, $2, $3, true}, $4)"},
      {"param", "slot, slot, slot, floats", "scalars", computes, "op.param_floats({$1, $2, $3}, $4)"},
      {"param_tensor_first", "slot, slot, slot, floats", "scalars", computes,
       "op.param_floats({$1, $2, $3, true}, $4)"},
      {"param", "slot, slot, slot, float", "scalar", computes, "op.param_float({$1, $2, $3}, $4)"},
      {"param_tensor_first", "slot, slot, slot, float", "scalar", computes, "op.param_float({$1, $2, $3, true}, $4)"},
      {"rank_known", "tensor", "bool", none, "op.rank_known($1)"},
      {"is_channels_last", "string", "bool", none, "is_channels_last($1)"},
      {"to_channels_first", "tensor, bool", "tensor", emits, "to_channels_first(op, $1, $2)"},
      {"from_channels_first", "tensor, bool", "operand", emits, "from_channels_first(op, $1, $2)"},
      {"constant_data", "any, dtype", "tensor", none, "constant_data($1, $2)"},
      {"constant_data", "any, dtype, ints", "tensor", none, "constant_data($1, $2, $3)"},
      {"join", "operands, operands", "operands", none, "concat($1, $2)"},
  };
  return table;
}

const Operation* find_form(const Builtin& builtin, const std::vector<Type>& given) {
  std::vector<const Operation*> list;
  for (const Operation& o : builtin.forms)
    if (!asks_about_slot(o)) list.push_back(&o);
  return best(list, given);
}

Misfit find_misfit(const Builtin& builtin, const std::vector<Type>& given) {
  for (size_t i = 0; i < given.size(); ++i) {
    std::string wanted;
    bool taken = false;
    for (const Operation& o : builtin.forms) {
      const std::vector<std::string> parameters = split(o.parameters);
      if (i >= parameters.size() || asks_about_slot(o)) continue;
      taken = taken || fits(parameters[i], given[i]) != Fit::no;
      const bool any_of_kind = parameters[i] == "tensor" || parameters[i] == "list";
      wanted = any_of_kind ? "a " + parameters[i] : "'" + parameters[i] + "'";  // the widest form is the last one
    }
    if (!taken) return {i, wanted};
  }
  return {};
}

bool wants_tensor(const Builtin& builtin, size_t index) {
  return std::any_of(builtin.forms.begin(), builtin.forms.end(), [&](const Operation& o) {
    const std::vector<std::string> parameters = split(o.parameters);
    return index < parameters.size() && parameters[index] == "tensor";
  });
}

const Operation* find_operation(const std::string& name, const std::vector<Type>& given) {
  std::vector<const Operation*> list;
  for (const Operation& o : operations())
    if (name == o.name) list.push_back(&o);
  return best(list, given);
}

const Operation* find_conversion(const Type& from, const Type& to) {
  for (const Operation& o : operations()) {
    if (o.name != "convert" || !(parse_type(o.result) == Type{to.base, to.list})) continue;
    if (std::string("any") == o.parameters || parse_type(o.parameters) == Type{from.base, from.list}) return &o;
  }
  return nullptr;
}

std::vector<Type> parameter_types(const Operation& operation, const std::vector<Type>& given) {
  const std::vector<std::string> parameters = split(operation.parameters);
  std::vector<Type> types;
  for (size_t i = 0; i < parameters.size(); ++i) {
    const std::string& p = parameters[i];
    const bool open = p == "any" || p == "list" || p == "slot";
    types.push_back(open && i < given.size() ? given[i] : parse_type(p));
  }
  return types;
}

Type result_type(const Operation& operation, const std::vector<Type>& given) {
  const std::string result = operation.result;
  if (result == "same") return given[0];
  if (result == "element") return one(given[0].base);
  return parse_type(result);
}

}  // namespace opgen
