// Editors check specs by opspecs/spec.schema.json; it must know the keys that opgen knows.
#include <algorithm>
#include <regex>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "generator/spec/keys.h"
#include "generator/spec/spec.h"
#include "support.h"

namespace opgen::test {
namespace {

using nlohmann::json;

void each_reference(const json& node, const json& definitions) {
  if (node.is_object() && node.contains("$ref")) {
    const std::string target = node.at("$ref");
    CHECK_MESSAGE(definitions.contains(target.substr(std::string("#/definitions/").size())), target);
  }
  for (const json& child : node)
    if (child.is_structured()) each_reference(child, definitions);
}

}  // namespace

TEST_CASE("the JSON schema has the keys of the spec language") {
  const json schema = json::parse(read_all(repository("opspecs/spec.schema.json")));
  const json& definitions = schema.at("definitions");
  for (const KeySet* set : keys::all()) {
    CAPTURE(set->name);
    REQUIRE(definitions.contains(set->name));
    const json& definition = definitions.at(set->name);
    CHECK(definition.at("additionalProperties") == false);
    std::vector<std::string> known = set->names(), found, required;
    for (const auto& [key, value] : definition.at("properties").items()) found.push_back(key);
    std::sort(known.begin(), known.end());
    CHECK(found == known);
    for (const Key& key : set->keys)
      if (key.required) required.emplace_back(key.name);
    CHECK(definition.value("required", std::vector<std::string>()) == required);
  }
  each_reference(schema, definitions);
}

TEST_CASE("the JSON schema takes the operators' names of all specs") {
  const json schema = json::parse(read_all(repository("opspecs/spec.schema.json")));
  const auto pattern = [&](const char* name) {
    return std::regex(schema.at("definitions").at(name).at("pattern").get<std::string>());
  };
  const std::regex op = pattern("name"), onnx = pattern("onnx_name");
  Diagnostics diagnostics;
  const SpecSet specs = read_specs(repository("opspecs"), repository(""), diagnostics);
  for (const OpSpec& spec : specs.ops) CHECK_MESSAGE(std::regex_match(spec.op.text, op), spec.op.text);
  for (const OpSpec& spec : specs.onnx) CHECK_MESSAGE(std::regex_match(spec.op.text, onnx), spec.op.text);
}

}  // namespace opgen::test
