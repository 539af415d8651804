#include "generator/render/schema.h"

#include <nlohmann/json.hpp>

#include "generator/spec/keys.h"

namespace opgen {
namespace {

using nlohmann::json;

/// Suggests names and accepts others: an operator can have its own signature, and opgen reports errors.
json offer(json names, const char* others) {
  return {{"anyOf", {{{"enum", std::move(names)}}, {{"$ref", std::string("#/definitions/") + others}}}}};
}

json list_of(const json& names) { return {{"items", offer(names, "slot")}}; }

json slot_names(const std::vector<SlotFact>& slots) {
  json names = json::array();
  for (const SlotFact& s : slots) names.push_back(s.name);
  return names;
}

json keys(const std::vector<std::string>& names) {
  json properties = json::object();
  for (const std::string& name : names) properties[name] = json::object();
  return properties;
}

json reference(const std::string& name) { return {{"$ref", "#/definitions/" + name}}; }

json definition(const KeySet& set) {
  json properties = json::object(), required = json::array();
  for (const Key& key : set.keys) {
    properties[key.name] = {
        {"description", key.doc}, {"examples", {key.example}}, {"allOf", json::array({reference(key.type)})}};
    if (key.required) required.push_back(key.name);
  }
  json made = json::parse(set.rules);
  made["description"] = set.doc;
  made["type"] = "object";
  made["properties"] = std::move(properties);
  made["additionalProperties"] = false;
  if (!required.empty()) made["required"] = std::move(required);
  return made;
}

/// The schema without names of the facts.
json key_schema() {
  json definitions = json::object();
  for (const ValueType& type : keys::types()) definitions[type.name] = json::parse(type.schema);
  for (const KeySet* set : keys::all()) definitions[set->name] = definition(*set);
  definitions["entry"] = {
      {"if", {{"required", {"function"}}}}, {"then", reference("function")}, {"else", reference("operator")}};
  return {{"$schema", "http://json-schema.org/draft-07/schema#"},
          {"title", "Operator specs of fluid2onnx"},
          {"description", "Rendered by opgen; docs/spec-reference.md explains the keys, and opgen --check checks more"},
          {"oneOf", {reference("entry"), {{"type", "array"}, {"minItems", 1}, {"items", reference("entry")}}}},
          {"definitions", std::move(definitions)}};
}

/// What an operator of Paddle adds: its slots and attributes, where a spec lists them.
json parts_of(const OpFact& op) {
  const json inputs = slot_names(op.inputs), outputs = slot_names(op.outputs);
  json attrs = json::array();
  std::vector<std::string> all;
  for (const AttrFact& a : op.attrs) {
    if (a.extra) continue;
    attrs.push_back(a.name);
    all.push_back(a.name);
  }
  json parts = json::object();
  if (!inputs.empty()) parts["inputs"] = list_of(inputs);
  if (!outputs.empty()) parts["outputs"] = list_of(outputs);
  if (!attrs.empty()) {
    parts["attrs"] = list_of(attrs);
    parts["params"] = {{"properties", keys(all)}};
  }
  for (const auto* slots : {&op.inputs, &op.outputs})
    for (const SlotFact& s : *slots) all.push_back(s.name);
  parts["ignore"] = {{"properties", keys(all)}};
  return parts;
}

}  // namespace

std::string schema_of_keys() { return key_schema().dump(1) + "\n"; }

std::map<std::string, std::string> render_schema(const Facts& facts, const OnnxModel& onnx) {
  json root = key_schema();
  json& op = root.at("definitions").at("operator");
  json names = onnx.names(), cases = json::array();
  for (const auto* known : {&facts.ops, &facts.newer})
    for (const auto& [name, fact] : *known) {
      names.push_back(name);
      cases.push_back({{"if", {{"properties", {{"op", {{"const", name}}}}}, {"required", {"op"}}}},
                       {"then", {{"properties", parts_of(fact)}}}});
    }
  op["properties"]["op"]["allOf"] = json::array({offer(names, "operator_name")});
  op["allOf"] = std::move(cases);
  return {{"opspecs/spec.schema.json", root.dump() + "\n"}};
}

}  // namespace opgen
