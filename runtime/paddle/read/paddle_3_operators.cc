#include "runtime/paddle/read/paddle_3_operators.h"

#include <nlohmann/json.hpp>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "runtime/paddle/program/make_op.h"
#include "runtime/support/text.h"

namespace fluid2onnx {

extern const char* const kPaddle3Programs;  // opspecs/facts/paddle-3-programs.json

namespace {

using nlohmann::json;

/// What an operator is in older programs; null for most.
const json* form_of(std::string_view op) {
  static const json ops = json::parse(kPaddle3Programs).at("ops");
  static const auto forms = [] {
    std::unordered_map<std::string_view, const json*> by_name;
    for (const auto& [name, form] : ops.get_ref<const json::object_t&>()) by_name.emplace(name, &form);
    return by_name;
  }();
  const auto found = forms.find(op);
  return found == forms.end() ? nullptr : found->second;
}

/// A member of a form; empty without it. No copy: nlohmann's destructors allocate, and terminate without memory.
const json& member(const json& form, const char* name) {
  static const json none = json::object();
  const auto found = form.find(name);
  return found == form.end() ? none : *found;
}

void rename(std::string* name, const json& form, const char* kind) {
  const auto names = form.find(kind);
  if (names == form.end()) return;
  if (const auto found = names->find(*name); found != names->end()) *name = found->get<std::string>();
}

AttributeValue value_of(const json& value) {
  if (value.is_boolean()) return value.get<bool>();
  if (value.is_number_integer()) return value.get<int64_t>();
  if (value.is_number()) return value.get<double>();
  if (value.is_array()) return std::vector<int64_t>();
  return value.get<std::string>();
}

/// By value: the kind of a number depends on the version of Paddle.
bool equal(const Attribute& attr, const json& value) {
  if (value.is_number() && attr.as_float()) return static_cast<float>(*attr.as_float()) == value.get<float>();
  if (value.is_boolean() && attr.as_bool()) return *attr.as_bool() == value.get<bool>();
  return attr.value == value_of(value);
}

/// New operands and attributes that no spec supports.
void refuse_new_members(Op& op, const json& form) {
  for (const json& name : member(form, "new_inputs")) {
    if (!op.input(name.get<std::string>()).empty()) {
      op.refuse("operand '" + name.get<std::string>() + "' of '" + op.type + "' cannot be converted");
    }
  }
  for (const auto& [name, neutral] : member(form, "new_attrs").items()) {
    const Attribute* attr = op.attr(name);
    if (attr && !equal(*attr, neutral)) {
      op.refuse("attribute '" + name + "' of '" + op.type + "' cannot be converted");
    }
  }
}

/// The result in the dtype that Paddle 3 gives it, where the older operator has another.
Op cast(Program& program, Op& op, const std::string& slot, Dtype dtype) {
  Op cast = make_op_at(op, "cast", {}, {}, {{"out_dtype", int64_t{dtype_to_paddle(dtype)}}});
  for (Slot& results : op.outputs) {
    if (results.name != slot || results.args.size() != 1) continue;
    const std::string uncast = results.args.front() + ".uncast";
    cast.inputs = {{"X", {uncast}}};
    cast.outputs = {{"Out", {std::exchange(results.args.front(), uncast)}}};
    program.blocks[static_cast<size_t>(op.block)].variables.emplace(uncast, Variable());
  }
  return cast;
}

/// Paddle 3 has one attribute for numbers of any dtype, older programs one for each dtype.
void add_typed_values(Op& op) {
  const Attribute* numbers = op.attr("values");
  if (!numbers || !numbers->as_scalars() || numbers->as_scalars()->empty()) return;
  const Dtype dtype = op.get_dtype("dtype").value_or(Dtype::float32);
  auto values = values_of_dtype(*numbers, dtype);
  if (values) op.attrs.push_back(std::move(*values));
  else op.refuse("the values of an 'assign_value' of " + std::string(dtype_name(dtype)) + " cannot be converted");
}

/// Real and imaginary parts alternate, as in graphs.
std::optional<Attribute> complex_values(const Attribute& numbers, Dtype dtype) {
  const auto list = numbers.as_scalars();
  if (!list) return std::nullopt;
  std::vector<double> parts;
  for (const Number& number : *list) {
    const auto* both = std::get_if<std::complex<double>>(&number);
    const auto real = std::visit(
        [](const auto& x) -> double {
          if constexpr (std::is_same_v<std::decay_t<decltype(x)>, std::complex<double>>) return x.real();
          else return static_cast<double>(x);
        },
        number);
    parts.push_back(real);
    parts.push_back(both ? both->imag() : 0.0);
  }
  return Attribute{dtype == Dtype::complex128 ? "fp64_values" : "fp32_values", std::move(parts)};
}

}  // namespace

std::optional<Attribute> values_of_dtype(const Attribute& numbers, Dtype dtype) {
  if (dtype == Dtype::complex64 || dtype == Dtype::complex128) return complex_values(numbers, dtype);
  if (is_floating(dtype)) {
    if (auto list = numbers.as_floats()) {
      return Attribute{dtype == Dtype::float64 ? "fp64_values" : "fp32_values", std::move(*list)};
    }
    return std::nullopt;
  }
  auto list = numbers.as_ints();
  if (!list) return std::nullopt;
  const char* name = dtype == Dtype::bool_ ? "bool_values" : dtype == Dtype::int64 ? "int64_values" : "int32_values";
  return Attribute{name, std::move(*list)};
}

void adopt_paddle_3_operators(Program& program) {
  for (Block& block : program.blocks) {
    for (size_t i = 0; i < block.ops.size(); ++i) {
      Op& op = block.ops[i];
      if (op.type == "assign_value") add_typed_values(op);
      const json* known = form_of(op.type);
      if (!known) continue;
      const json& form = *known;
      if (form.contains("identified_by") && !op.attr(form["identified_by"].get<std::string>())) continue;
      refuse_new_members(op, form);
      for (Slot& slot : op.inputs) rename(&slot.name, form, "inputs");
      for (Slot& slot : op.outputs) rename(&slot.name, form, "outputs");
      if (form.contains("attrs")) {
        for (Attribute& attr : op.attrs.edit()) rename(&attr.name, form, "attrs");
      }
      const int64_t changed = form.value("changed", int64_t{0}), release = program.version.value_or(0);
      if (changed > 0 && release >= changed) op.attrs.push_back({"paddle_release", release});
      op.type = form.value("type", op.type);
      for (const auto& [slot, dtype] : member(form, "casts").items()) {
        Op added = cast(program, op, slot, dtype_from_name(dtype.get<std::string>()).value_or(Dtype::undefined));
        block.ops.insert(block.ops.begin() + static_cast<std::ptrdiff_t>(++i), std::move(added));
        break;  // `op` has moved; no operator has two such results
      }
    }
  }
}

}  // namespace fluid2onnx
