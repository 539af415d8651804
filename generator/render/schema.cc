#include "generator/render/schema.h"

#include <nlohmann/json.hpp>

namespace opgen {
namespace {

using nlohmann::json;

/// Suggests names and accepts others: an operator can have its own signature, and opgen reports errors.
json offer(json names, const char* others) {
  return {{"anyOf", {{{"enum", std::move(names)}}, {{"$ref", std::string("#/definitions/") + others}}}}};
}

json list_of(const json& names) { return {{"items", offer(names, "slot")}}; }

json names_of(const std::vector<SlotFact>& slots) {
  json names = json::array();
  for (const SlotFact& s : slots) names.push_back(s.name);
  return names;
}

json keys(const std::vector<std::string>& names) {
  json properties = json::object();
  for (const std::string& name : names) properties[name] = json::object();
  return properties;
}

/// What an operator of Paddle adds: its slots and attributes, where a spec lists them.
json parts_of(const OpFact& op) {
  const json inputs = names_of(op.inputs), outputs = names_of(op.outputs);
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

std::map<std::string, std::string> render_schema(const std::string& schema, const Facts& facts, const OnnxModel& onnx) {
  json root = json::parse(schema);
  json& op = root.at("definitions").at("operator");
  json names = json::array(), cases = json::array();
  for (const auto* known : {&facts.ops, &facts.newer})
    for (const auto& [name, fact] : *known) {
      names.push_back(name);
      cases.push_back({{"if", {{"properties", {{"op", {{"const", name}}}}}, {"required", {"op"}}}},
                       {"then", {{"properties", parts_of(fact)}}}});
    }
  json& properties = op.at("properties");
  properties["op"]["allOf"] = json::array({offer(names, "name")});
  properties["onnx"]["allOf"] = json::array({offer(onnx.names(), "onnx_name")});
  op["allOf"] = std::move(cases);
  return {{"opspecs/spec.schema.json", root.dump() + "\n"}};
}

}  // namespace opgen
