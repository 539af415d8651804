#include "runtime/paddle/write/pir_plan.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "runtime/paddle/program/operators.h"
#include "runtime/paddle/write/pir_text.h"

namespace fluid2onnx {
namespace {

/// The type of a scalar attribute. Paddle's passes read only float32, except for `full`; beside tensors of float64,
/// values that float32 cannot represent are float64.
std::string_view narrowed(std::string_view kind, const AttributeValue& value, bool in_doubles) {
  const auto number = Attribute{"", value}.as_scalars();
  if (kind != "scalar" || !number || number->size() != 1) return kind;
  const auto* real = std::get_if<double>(&number->front());
  if (!real) return kind;
  return in_doubles && static_cast<double>(static_cast<float>(*real)) != *real ? "f64" : "f32";
}

/// By value: the kind of a number depends on the code that made the operator.
bool equal(const Attribute& a, const AttributeValue& value) {
  const Attribute b{"", value};
  if (a.value == b.value) return true;
  const auto x = a.as_floats(), y = b.as_floats();
  if (x && y)
    return std::equal(x->begin(), x->end(), y->begin(), y->end(),
                      [](double p, double q) { return static_cast<float>(p) == static_cast<float>(q); });
  return a.as_bool() && b.as_bool() && a.as_bool() == b.as_bool();
}

bool is_default(const Op& op, const Attribute& attr) {
  const FluidOperator* known = find_fluid_operator(op.type);
  const FluidAttr* fact = known ? known->attr(attr.name) : nullptr;
  return fact && fact->default_value && equal(attr, *fact->default_value);
}

/// Attributes that say again what other parts of the operator say.
bool is_implied(const Attribute& attr) {
  return attr.name == "in_dtype" || attr.name == "infer_flags" || attr.name == "reduce_all";
}

bool is_given(const Op& op, std::string_view slot) { return !slot.empty() && !op.input(slot).empty(); }

std::string part(const PirOperator& known, std::string_view name) {
  return "'" + std::string(name) + "' of its '" + std::string(known.name) + "'";
}

/// Attributes that have to have one value.
void check_fixed(const Op& op, const PirOperator& known, std::set<std::string_view>* used) {
  for (const PirFixedAttr& fixed : known.fixed) {
    used->insert(fixed.attr);
    const Attribute* attr = op.attr(fixed.attr);
    // What Paddle 3 computes otherwise it also does for programs of the older format.
    if (fixed.attr == "paddle_release") continue;
    if (!attr || !equal(*attr, std::visit([](auto v) { return AttributeValue(v); }, fixed.value))) {
      throw NotExpressible("'" + std::string(fixed.attr) + "' differs from the fixed value of its '" +
                           std::string(known.name) + "'");
    }
  }
}

}  // namespace

const std::vector<const PirOperator*>& pir_candidates(const std::string& fluid) {
  static const auto table = [] {
    std::map<std::string, std::vector<const PirOperator*>, std::less<>> all;
    for (const PirRow& row : pir_rows()) {
      const bool in_place = row.name.ends_with('_');
      if (in_place && find_pir_operator(row.name.substr(0, row.name.size() - 1))) continue;
      all[std::string(row.fluid.empty() ? row.name : row.fluid)].push_back(find_pir_operator(row.name));
    }
    return all;
  }();
  static const std::vector<const PirOperator*> none;
  const auto found = table.find(fluid);
  return found == table.end() ? none : found->second;
}

void PirWriter::plan_operands(const Op& op, Plan* plan, Names* used) {
  Names slots;
  for (const PirOperand& operand : plan->known->operands) {
    using Item = Plan::Item;
    slots.insert({operand.slot, operand.list_slot});
    const bool may_be_attr = !operand.attr.empty();
    const Attribute* attr = may_be_attr ? op.attr(operand.attr) : nullptr;
    if (attr) used->insert(operand.attr);
    const VariableRefs* refs = attr ? attr->as_variables() : nullptr;
    if (may_be_attr && is_given(op, operand.list_slot)) {
      plan->operands.push_back({Item::list, op.input(operand.list_slot), {}});
    } else if (is_given(op, operand.slot)) {
      plan->operands.push_back({operand.list ? Item::list : Item::single, op.input(operand.slot), {}});
    } else if (refs) {
      plan->operands.push_back({refs->is_list ? Item::list : Item::single, refs->names, {}});
    } else if (!may_be_attr) {
      if (!operand.optional && !operand.ignored)
        throw NotExpressible(part(*plan->known, operand.name) + " is not given");
      plan->operands.emplace_back();
      // A state of training that there must be.
      if (!operand.optional) plan->operands.back() = {Item::state, {}, {}};
    } else {
      auto value = attr ? std::optional(attr->value) : pir_fallback(operand.default_value);
      // No axes stand for all of them.
      if (operand.attr == "dim" && op.attr("reduce_all") && op.get_bool("reduce_all") == true)
        value = std::vector<int64_t>();
      if (!value) throw NotExpressible(part(*plan->known, operand.name) + " is not given");
      plan->operands.push_back({operand.type == "ints" ? Item::ints : Item::scalar, {}, *value});
    }
  }
  for (const Slot& slot : op.inputs) {
    if (!slot.args.empty() && !slots.count(slot.name)) {
      throw NotExpressible("its '" + std::string(plan->known->name) + "' has no operand '" + slot.name + "'");
    }
  }
}

void PirWriter::plan_attributes(const Op& op, Plan* plan, Names* used) const {
  for (const PirAttr& known_attr : plan->known->attrs) {
    const Attribute* attr = known_attr.attr.empty() ? nullptr : op.attr(known_attr.attr);
    if (attr) used->insert(known_attr.attr);
    std::optional<AttributeValue> value = attr ? std::optional(attr->value) : pir_fallback(known_attr.default_value);
    if (!value && known_attr.type == "place") value = false;
    if (!value && known_attr.type == "dtype" && known_attr.attr.empty() && !op.outputs.empty()) {
      value = declared(op.outputs.front().args.at(0)).dtype;
    }
    if (!value) throw NotExpressible(part(*plan->known, known_attr.name) + " is not given");
    const bool in_doubles = !op.outputs.empty() && declared(op.outputs.front().args.at(0)).dtype == Dtype::float64;
    const auto text = pir_value_text(narrowed(known_attr.type, *value, in_doubles), *value);
    if (!text)
      throw NotExpressible(part(*plan->known, known_attr.name) + " cannot be " +
                           std::string(Attribute{"", *value}.kind_name()));
    plan->attrs.push_back(pir_attr_text(known_attr.name, *text));
  }
  for (const Attribute& attr : op.attrs) {
    if (used->count(attr.name) || is_implied(attr) || is_default(op, attr)) continue;
    throw NotExpressible("its '" + std::string(plan->known->name) + "' has no attribute '" + attr.name + "'");
  }
}

void PirWriter::plan_results(const Op& op, Plan* plan) const {
  Names given;
  for (const PirResult& result : plan->known->results) {
    if (!result.cast.empty()) throw NotExpressible(part(*plan->known, result.name) + " has another dtype");
    given.insert(result.slot);
    const auto& names = op.output(result.slot);
    if (result.list) plan->results.push_back({true, names});
    else plan->results.push_back({false, {names.empty() ? "" : names.front()}});
  }
  for (const Slot& slot : op.outputs) {
    const bool read = std::any_of(slot.args.begin(), slot.args.end(), [&](const auto& name) { return is_read(name); });
    if (read && !given.count(slot.name))
      throw NotExpressible("its '" + std::string(plan->known->name) + "' has no result '" + slot.name + "'");
  }
}

PirWriter::Plan PirWriter::plan(const Op& op, const PirOperator& known) const {
  Plan made;
  made.known = &known;
  Names used;
  plan_operands(op, &made, &used);
  check_fixed(op, known, &used);
  plan_attributes(op, &made, &used);
  plan_results(op, &made);
  return made;
}

}  // namespace fluid2onnx
