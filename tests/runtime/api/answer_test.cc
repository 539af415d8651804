#include "runtime/api/answer.h"

#include <doctest/doctest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/runtime/temporary_folder.h"

using namespace fluid2onnx;
using nlohmann::json;

namespace {

const std::string kModels = TEST_MODELS;

json ask(const std::string& command, const json& request) { return json::parse(answer(command, request.dump())); }

/// "E_USAGE 2": the code and the exit status of a failure.
std::string failure(const json& answer) {
  return answer.at("errors").at(0).at("code").get<std::string>() + " " + answer.at("exit_status").dump();
}

}  // namespace

TEST_CASE("a conversion is answered as the program prints it") {
  const test::TemporaryFolder folder;
  const json request{{"model", kModels + "/model_combined"},
                     {"output", folder / "m.onnx"},
                     {"opset", 13},
                     {"input_shapes", {{"x", {2, 4}}}},
                     {"weights", "external"},
                     {"dim_names", "d"},
                     {"lod", "single"},
                     {"renames", {{"x", "features"}}}};
  const json converted = ask("convert", request);
  CHECK(converted.at("ok") == true);
  CHECK(converted.at("opset") == 13);
  CHECK(converted.at("inputs").at(0).at("name") == "features");
  CHECK(std::filesystem::exists(folder / "m.onnx"));

  const json back = ask("convert", {{"model", folder / "m.onnx"}, {"output", folder / "back.pdmodel"}});
  CHECK(back.at("ok") == true);
  const json inspected = ask("inspect", {{"model", folder / "m.onnx"}, {"list_ops", true}});
  CHECK(inspected.contains("inputs"));
}

TEST_CASE("a target and an opset can be in any order") {
  const test::TemporaryFolder folder;
  json request{{"model", kModels + "/model_combined"}, {"output", folder / "m.onnx"}, {"target", "tract"}};
  CHECK(ask("convert", request).at("opset") == 17);
  request["opset"] = 11;
  CHECK(ask("convert", request).at("opset") == 11);
}

TEST_CASE("an inspection lists operators and variables if it is asked to") {
  const json request{{"model", kModels + "/model_combined"}};
  const json inspected = ask("inspect", request);
  CHECK_FALSE(inspected.contains("op_list"));
  json with_ops = request;
  with_ops["list_ops"] = true;
  CHECK(ask("inspect", with_ops).at("op_list").size() >= 4);
}

TEST_CASE("operators are listed") { CHECK(ask("operators", json::object()).size() > 0); }

TEST_CASE("a failure has the exit status of the program and a text for people") {
  const json missing = ask("inspect", {{"model", kModels + "/nothing"}});
  CHECK(failure(missing) == "E_NOT_FOUND 3");
  CHECK(missing.at("text").get<std::string>().find("nothing") != std::string::npos);
  CHECK(failure(ask("transform", json::object())) == "E_USAGE 2");
  CHECK(failure(ask("convert", {{"specs", {"mine.yaml"}}})) == "E_USAGE 2");
  CHECK(failure(json::parse(answer("convert", "{"))) == "E_USAGE 2");
}

TEST_CASE("a member of a request that is wrong is named") {
  const auto text = [](const json& request) { return ask("convert", request).at("text").get<std::string>(); };
  CHECK(text({{"opset", 13.5}}).find("opset") != std::string::npos);
  CHECK(text({{"sync", "yes"}}).find("sync") != std::string::npos);
  CHECK(text({{"weights", "heavy"}}).find("weights") != std::string::npos);
  CHECK(text({{"precision", "float8"}}).find("precision") != std::string::npos);
  CHECK(text({{"flavour", 1}}).find("flavour: unknown option") != std::string::npos);
  CHECK(text({{"target", "trakt"}}).find("tract") != std::string::npos);
}

TEST_CASE("specs are loaded by the caller") {
  AnswerHooks hooks;
  std::vector<std::string> asked;
  hooks.load_specs = [&](const std::vector<std::string>& files) {
    asked = files;
    return std::shared_ptr<const AddedConverters>();
  };
  const json request{{"model", kModels + "/model_combined"}, {"specs", {"mine.yaml"}}};
  CHECK_FALSE(json::parse(answer("inspect", request.dump(), hooks)).contains("errors"));
  CHECK(asked == std::vector<std::string>{"mine.yaml"});
}
