#include "generator/spec/example.h"

namespace opgen {
namespace {

using nlohmann::json;

json number(double value, bool whole) {
  if (whole) return static_cast<int64_t>(value);
  return value;
}

json tensor_json(const TensorExample& tensor, const std::string& name) {
  json object = {{"name", name}, {"dtype", tensor.dtype}, {"shape", tensor.dims}};
  const bool whole = tensor.dtype.find("int") != std::string::npos;
  if (tensor.range)
    object["range"] = {number(tensor.range->low, whole), number(tensor.range->high, whole), tensor.range->closed};
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
  if (!example.opsets.empty()) object["opsets"] = example.opsets;
  if (!example.reference.empty()) object["reference"] = reference_json(example.reference);
  return object;
}

}  // namespace

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
