// The JSON schema by which editors check and complete specs.
#include <cstdlib>
#include <fstream>
#include <regex>

#include <doctest/doctest.h>

#include "generator/render/schema.h"
#include "generator/spec/keys.h"
#include "tests/generator/support.h"

namespace opgen::test {
namespace {

using nlohmann::json;

json offered(const json& list) { return list.at("items").at("anyOf").at(0).at("enum"); }

/// Checks that the schema defines what it refers to.
void each_reference(const json& node, const json& definitions) {
  if (node.is_object() && node.contains("$ref")) {
    const std::string target = node.at("$ref");
    CHECK_MESSAGE(definitions.contains(target.substr(std::string("#/definitions/").size())), target);
  }
  for (const json& child : node)
    if (child.is_structured()) each_reference(child, definitions);
}

}  // namespace

TEST_CASE("the committed JSON schema is that of the keys") {
  const std::string path = repository("opspecs/spec.schema.json");
  const std::string made = schema_of_keys();
  if (std::getenv("OPGEN_UPDATE") != nullptr) std::ofstream(path) << made;
  CHECK(read_all(path) == made);
  const json schema = json::parse(made);
  each_reference(schema, schema.at("definitions"));
}

TEST_CASE("every key has a type, a sentence and an example") {
  for (const KeySet* set : keys::all())
    for (const Key& key : set->keys) {
      CAPTURE(key.name);
      CHECK(std::string(key.doc).size() > 5);
      CHECK(std::string(key.example).rfind(std::string(key.name) + ": ", 0) == 0);
      CHECK(json::parse(schema_of_keys()).at("definitions").contains(key.type));
    }
}

TEST_CASE("the JSON schema takes the operators' names of all specs") {
  const json schema = json::parse(schema_of_keys());
  const std::regex name(schema.at("definitions").at("operator_name").at("pattern").get<std::string>());
  Diagnostics diagnostics;
  const SpecSet specs = read_specs(repository("opspecs"), repository(""), diagnostics);
  for (const auto* list : {&specs.ops, &specs.onnx})
    for (const OpSpec& spec : *list) CHECK_MESSAGE(std::regex_match(spec.op.text, name), spec.op.text);
}

TEST_CASE("editors complete the names of the facts") {
  const auto files = render_schema(facts(), onnx());
  const json schema = json::parse(files.at("opspecs/spec.schema.json"));
  const json& op = schema.at("definitions").at("operator");
  const auto names = [&](const char* key) {
    return op.at("properties").at(key).at("allOf").at(0).at("anyOf").at(0).at("enum").get<std::vector<std::string>>();
  };
  const auto knows = [](const std::vector<std::string>& list, const char* name) {
    return std::find(list.begin(), list.end(), name) != list.end();
  };
  CHECK(knows(names("op"), "pool2d"));
  CHECK(knows(names("op"), "masked_fill"));  // of Paddle 3
  CHECK(knows(names("op"), "Gemm"));
  size_t found = 0;
  for (const json& one : op.at("allOf")) {
    if (one.at("if").at("properties").at("op").at("const") != "tile") continue;
    ++found;
    const json& parts = one.at("then").at("properties");
    CHECK(offered(parts.at("inputs")) == json{"X", "RepeatTimes", "repeat_times_tensor"});
    CHECK(offered(parts.at("outputs")) == json{"Out"});
    CHECK(parts.at("params").at("properties").contains("repeat_times"));
    CHECK(parts.at("ignore").at("properties").contains("RepeatTimes"));
  }
  CHECK(found == 1);
}

}  // namespace opgen::test
