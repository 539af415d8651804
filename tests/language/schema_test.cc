// What editors complete.
#include <doctest/doctest.h>

#include "generator/render/schema.h"
#include "support.h"

namespace opgen::test {
namespace {

using nlohmann::json;

json offered(const json& list) { return list.at("items").at("anyOf").at(0).at("enum"); }

}  // namespace

TEST_CASE("editors complete the names of the facts") {
  const auto files = render_schema(read_all(repository("opspecs/spec.schema.json")), facts(), onnx());
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
  CHECK(knows(names("onnx"), "Gemm"));
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
