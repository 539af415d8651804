#include "generator/spec/example.h"

namespace opgen {
namespace {

using nlohmann::json;

json json_number(double value, bool whole) {
  if (whole) return static_cast<int64_t>(value);
  return value;
}

json tensor_json(const TensorExample& tensor, const std::string& name) {
  json object = {{"name", name}, {"dtype", tensor.dtype}, {"shape", tensor.dims}};
  const bool whole = tensor.dtype.find("int") != std::string::npos;
  if (tensor.range)
    object["range"] = {json_number(tensor.range->low, whole), json_number(tensor.range->high, whole),
                       tensor.range->closed};
  if (!tensor.values.is_null()) object["values"] = tensor.values;
  if (!tensor.lod.empty()) object["lod"] = tensor.lod;
  for (const std::string& word : tensor.words) object[word] = true;
  return object;
}

json attrs_json(const AttrExamples& attrs) {
  json object = json::object();
  for (const auto& [name, attr] : attrs) {
    object[name] = {{"type", attr.type}, {"value", attr.value}};
    if (!attr.given) object[name]["default"] = true;
  }
  return object;
}

json inputs_json(const CheckedExample& example, const OpFact& fact) {
  json object = json::object();
  for (const auto& [slot, tensors] : example.inputs) {
    const SlotFact* const known = fact.input(slot);
    const bool list = known != nullptr ? known->list : tensors.size() > 1;
    json& entries = object[slot] = json::array();
    for (size_t i = 0; i < tensors.size(); ++i)
      entries.push_back(tensor_json(tensors[i], list ? slot + "." + std::to_string(i) : slot));
  }
  return object;
}

json reference_json(const std::vector<ReferenceStep>& steps) {
  json list = json::array();
  for (const ReferenceStep& step : steps)
    list.push_back({{"op", step.op}, {"in", step.inputs}, {"out", step.outputs}, {"attrs", attrs_json(step.attrs)}});
  return list;
}

/// How Python gives the example's operands and attributes to the operator of Paddle 3: each argument is a slot, an
/// attribute, or one of both, or has a value that the example cannot change.
json paddle_3_json(const CheckedExample& example, const OpFact& fact) {
  const PirOpFact& op = *example.paddle_3;
  json arguments = json::array(), results = json::array();
  for (const std::string& name : op.order)
    for (const auto* list : {&op.operands, &op.attrs})
      for (const PirArgument& argument : *list) {
        if (argument.name != name) continue;
        json entry = {{"name", name}};
        if (!argument.slot.empty()) entry["slots"] = {argument.slot};
        if (!argument.attr.empty()) entry["attr"] = argument.attr;
        if (const auto param = fact.params.find(argument.attr); !argument.attr.empty() && param != fact.params.end())
          for (const std::string& slot : {param->second.list_slot, param->second.tensor_slot})
            if (!slot.empty() && slot != argument.slot) entry["slots"].push_back(slot);
        if (!argument.type.empty()) entry["type"] = argument.type;
        if (argument.list) entry["list"] = true;
        if (!argument.default_value.is_null()) entry["default"] = argument.default_value;
        arguments.push_back(std::move(entry));
      }
  for (const PirArgument& result : op.results) results.push_back(result.slot);
  return {{"op", example.paddle_3_name}, {"arguments", arguments}, {"results", results}};
}

}  // namespace

json example_json(const OpSpec& spec, const OpFact& fact, const CheckedExample& example) {
  json object = {{"op", spec.op.text},
                 {"example", example.name},
                 {"spec", spec.file},
                 {"line", example.span.line},
                 {"inputs", inputs_json(example, fact)},
                 {"const", example.constants},
                 {"attrs", attrs_json(example.attrs)},
                 {"outputs", example.outputs},
                 {"compare", example.compare}};
  if (example.all_open) {
    object["dyn"] = "all";
  } else if (!example.open_dims.empty()) {
    object["dyn"] = example.open_dims;
  }
  if (example.rtol) object["tol"]["rtol"] = *example.rtol;
  if (example.atol) object["tol"]["atol"] = *example.atol;
  if (example.random) object["random"] = true;
  if (!example.refused.empty()) object["refused"] = example.refused;
  if (example.opsets)
    object["opsets"] = std::to_string(example.opsets->first) + ".." + std::to_string(example.opsets->last);
  if (example.paddle_3 != nullptr) object["paddle_3"] = paddle_3_json(example, fact);
  if (!example.reference.empty()) object["reference"] = reference_json(example.reference);
  return object;
}

json examples_json(const SpecSet& specs, const Facts& facts) {
  json list = json::array();
  Diagnostics ignored;  // --check reports them
  for (const OpSpec& spec : specs.ops) {
    const std::optional<OpFact> fact = fact_of(spec, facts, ignored);
    if (!fact) continue;
    for (const CheckedExample& example : check_examples(spec, *fact, facts, ignored))
      list.push_back(example_json(spec, *fact, example));
  }
  return list;
}

}  // namespace opgen
