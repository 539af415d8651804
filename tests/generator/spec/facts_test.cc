#include <algorithm>
#include <filesystem>
#include <fstream>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "generator/spec/yaml_node.h"
#include "tests/generator/support.h"

namespace opgen::test {
namespace {

std::optional<OpFact> fact(const std::string& text, std::string* errors = nullptr) {
  const SpecSet specs = specs_of(text);
  Diagnostics diagnostics;
  std::optional<OpFact> found = fact_of(specs.ops.at(0), facts(), diagnostics);
  if (errors != nullptr) *errors = format_text(diagnostics);
  return found;
}

std::string spec(const std::string& op, const std::string& signature = "") {
  return "op: " + op + "\ndoc: Fine\n" + signature + "nodes: [Out = X]\nexamples: [{in: {}}]\n";
}

}  // namespace

TEST_CASE("Paddle's tables say what an operator is") {
  const OpFact conv = fact(spec("conv2d")).value();
  REQUIRE(conv.input("Filter") != nullptr);
  CHECK_FALSE(conv.input("Filter")->optional);
  CHECK(conv.input("filter") == nullptr);
  CHECK(conv.output("Output") != nullptr);
  REQUIRE(conv.attr("strides") != nullptr);
  CHECK(conv.attr("strides")->type == "ints");
  CHECK(conv.attr("strides")->default_value == nlohmann::json{1, 1});
  CHECK_FALSE(conv.attr("strides")->extra);
  CHECK(conv.attr("workspace_size_MB")->extra);

  const OpFact reshape = fact(spec("reshape2")).value();
  CHECK(reshape.output("XShape")->extra);
  CHECK(reshape.params.at("shape").tensor_slot == "Shape");
  CHECK(reshape.params.at("shape").list_slot == "ShapeTensor");
  CHECK_FALSE(reshape.params.at("shape").order.empty());
  CHECK(fact(spec("cast")).value().attr("out_dtype")->default_value.is_null());
  CHECK(fact(spec("sum")).value().input("X")->list);
  CHECK(facts().ops.at("crop").params.at("shape").like_slot == "Y");
  CHECK(facts().ops.at("bilinear_interp_v2").params.at("out_size").attrs.size() == 2);
  CHECK(facts().ops.at("reduce_all").input("AxisTensor")->dead);
  CHECK(facts().dtypes.at("acos").verified == std::vector<std::string>{"float32", "float64"});
  CHECK(facts().dtypes.at("acos").refused == std::vector<std::string>{"complex128", "complex64"});
}

TEST_CASE("attributes that change the result are not extra, whatever Paddle's flag is") {
  CHECK_FALSE(facts().ops.at("batch_norm").attr("fuse_with_relu")->extra);
  CHECK_FALSE(facts().ops.at("depthwise_conv2d").attr("fuse_activation")->extra);
}

TEST_CASE("ignored.yaml has all common and extra attributes, and no others") {
  Diagnostics diagnostics;
  const std::string text = read_all(repository("opspecs/facts/ignored.yaml"));
  const std::optional<YamlNode> ignored = read_yaml(source(text, "ignored.yaml"), diagnostics);
  REQUIRE(ignored.has_value());
  const auto listed = [&](const char* list, const std::string& name) {
    return ignored->find(list)->value.find(name) != nullptr;
  };
  const auto table = nlohmann::json::parse(read_all(repository("opspecs/facts/paddle-2.6.json")));
  for (const auto& name : table.at("common_attrs")) CHECK(listed("everywhere", name));
  std::vector<std::string> extra;
  for (const auto& [op, entry] : table.at("ops").items())
    for (const auto& attr : entry.at("attrs")) {
      const std::string name = attr.at("name");
      if (!attr.value("extra", false)) continue;
      extra.push_back(name);
      CHECK_MESSAGE((listed("everywhere", name) || listed("extra", name) || listed("kept", name)), name);
    }
  for (const char* list : {"extra", "kept"})
    for (const YamlNode::Entry& entry : ignored->find(list)->value.entries)
      CHECK_MESSAGE(std::find(extra.begin(), extra.end(), entry.key) != extra.end(), entry.key);
  for (const YamlNode::Entry& entry : ignored->find("everywhere")->value.entries)
    CHECK(std::find(facts().ignored_attrs.begin(), facts().ignored_attrs.end(), entry.key) !=
          facts().ignored_attrs.end());
}

TEST_CASE("what Paddle 3 added to an operator are its attributes") {
  const OpFact& round = facts().ops.at("round");
  REQUIRE(round.attr("decimals"));
  CHECK(round.attr("decimals")->type == "int");
  CHECK(round.attr("decimals")->default_value == 0);
  CHECK(round.attr("decimals")->since == "3.3");
  CHECK(round.changes == std::vector<std::string>{"3.0"});
  CHECK(facts().ops.at("relu").changes.empty());

  const PirOpFact& reshape = facts().pir.at("reshape_");
  CHECK(reshape.fluid == "reshape2");
  CHECK(reshape.operands[1].attr == "shape");
  CHECK(reshape.results[0].overwrites == "x");
  CHECK_FALSE(reshape.is_newer);
}

TEST_CASE("releases") {
  const Releases& releases = facts().releases;
  CHECK(releases.names() == std::vector<std::string>{"2.6", "3.0", "3.3"});
  CHECK(releases[releases.find("3.0")].number == 3000000);
  Diagnostics wrong;
  unknown_release("4.0", {}, releases, wrong);
  read_releases(std::make_shared<const SourceFile>("releases.yaml", "a: b"), wrong);
  const std::string text = format_text(wrong);
  CHECK(text.find("no release '4.0' of Paddle is known (did you mean '3.0'?) [unknown-release]") != std::string::npos);
  CHECK(text.find("expected a list of releases but found a mapping [wrong-type]") != std::string::npos);
}

TEST_CASE("operators that came with Paddle 3 are known by their own names, in place or not") {
  CHECK(facts().pir.at("copysign_").is_newer);
  CHECK(facts().pir.at("copysign_").fluid == "copysign");
  CHECK(facts().pir.at("rms_norm").fluid == "rms_norm_v3");
  const OpFact std = fact(spec("std")).value();
  CHECK(std.input("x") != nullptr);
  CHECK(std.attr("axis")->default_value == nlohmann::json::array());
  CHECK(std.attr("correction")->default_value == 1);
  const OpFact range = fact(spec("range_v2")).value();
  CHECK(range.input("start")->optional);
  CHECK(range.params.at("start").tensor_slot == "start");
  CHECK(range.attr("dtype")->type == "int");
  CHECK(range.attr("place") == nullptr);
  CHECK(facts().pir.at("slice").order ==
        std::vector<std::string>{"input", "axes", "starts", "ends", "infer_flags", "decrease_axis"});
}

TEST_CASE("an operator has a spec or a reason, not both") {
  Facts known;
  known.ops["relu"], known.ops["adam"], known.ops["send"];
  const SpecSet specs = specs_of("op: relu\ndoc: Fine\nnodes: [Out = X]\nexamples: [{in: {}}]\n");
  const auto problems = [&](const std::string& text) {
    Diagnostics diagnostics;
    known.unconverted = read_unconverted(source(text, "unconverted.yaml"), diagnostics);
    check_coverage(specs, known, diagnostics);
    diagnostics.sort();
    return format_text(diagnostics);
  };
  CHECK(problems("training: [{because: One, ops: [adam]}, {because: Two, ops: [send]}]\n").empty());
  CHECK(known.unconverted.at("send").category == "training");
  CHECK(known.unconverted.at("send").reason == "Two");
  CHECK(problems("training: [{because: One, ops: [adam]}]\n").find("'send' has no spec and no reason [no-spec]") !=
        std::string::npos);
  CHECK(problems("a: [{because: One, ops: [adam, send, relu]}]\n").find("'relu' has a spec [converted]") !=
        std::string::npos);
  CHECK(problems("[adam]\n").find("expected categories") != std::string::npos);
  CHECK(problems("a: adam\n").find("expected a list of groups") != std::string::npos);
  CHECK(problems("a: [{because: One, ops: [adam, send, adem]}]\n")
            .find("has an operator 'adem' (did you mean 'adam'?)") != std::string::npos);
  CHECK(problems("a: [{because: One, ops: [adam]}, {because: Two, ops: [send, adam]}]\n")
            .find("'adam' is listed twice") != std::string::npos);
}

TEST_CASE("a spec may state the signature of an older operator") {
  const OpFact old = fact(spec("relu_old", R"(inputs: {X: tensor, B: "tensor?", Ys: list, Zs: "list?"}
outputs: {Out: tensor}
attrs: {a: int = -1, b: float = 1e-5, c: bool = true, d: string = NCHW, e: "string = \"1\"", f: "ints = [1, 2]",
          g: floats, h: "strings = [\"x\"]", i: "string = 1"}
)"))
                         .value();
  CHECK_FALSE(old.input("X")->optional);
  CHECK(old.input("B")->optional);
  CHECK(old.input("Ys")->list);
  CHECK((old.input("Zs")->list && old.input("Zs")->optional));
  CHECK(old.attr("a")->default_value == -1);
  CHECK(old.attr("b")->default_value == 1e-5);
  CHECK(old.attr("c")->default_value == true);
  CHECK(old.attr("d")->default_value == "NCHW");
  CHECK(old.attr("e")->default_value == "1");
  CHECK(old.attr("f")->default_value == nlohmann::json{1, 2});
  CHECK(old.attr("g")->default_value.is_null());
  CHECK(old.attr("h")->default_value == nlohmann::json{"x"});
  CHECK(old.attr("i")->default_value == "1");
}

TEST_CASE("broken tables are diagnosed") {
  namespace fs = std::filesystem;
  const fs::path folder = fs::temp_directory_path() / "opgen_facts_test";
  fs::create_directory(folder);
  std::ofstream(folder / "ignored.yaml") << "everywhere: {a: b}\nextra: {c: d}\nkept: [e]\n";
  std::ofstream(folder / "releases.yaml")
      << "[{release: 2.6, signatures: paddle-2.6.json}, {release: 2.5}, {release: new}, {release: 3.3, signatures: "
         "paddle-3.3.json}]";
  std::ofstream(folder / "paddle-2.6.json") << "{\"ops\": ";
  std::ofstream(folder / "paddle-3.3.json") << "{\"ops\": {}}";
  std::ofstream(folder / "params.json") << "{}";
  Diagnostics diagnostics;
  const Facts read = read_facts(folder.string(), diagnostics);
  fs::remove_all(folder);
  diagnostics.sort();
  const std::string text = format_text(diagnostics);
  CHECK(text.find("opspecs/facts/paddle-2.6.json:1:9: error: the JSON is invalid [bad-facts]\n") != std::string::npos);
  CHECK(text.find("opspecs/facts/params.json:1:1: error: the content is invalid: ") != std::string::npos);
  CHECK(text.find("'2.5' follows '2.6' [bad-release]\n") != std::string::npos);
  CHECK(text.find("'new' is not a release [bad-release]\n") != std::string::npos);
  CHECK(text.find("expected attributes and reasons but found a list [wrong-type]\n") != std::string::npos);
}

}  // namespace opgen::test
