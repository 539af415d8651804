#include <algorithm>

#include <doctest/doctest.h>
#include <onnx/defs/schema.h>

#include "generator/check/onnx_fact.h"
#include "tests/generator/support.h"

namespace opgen::test {
namespace {

const Adaptation* adaptation(const OnnxGroup& group, Adaptation::Kind kind, const std::string& name) {
  for (const Adaptation& a : group.adaptations)
    if (a.kind == kind && a.name == name) return &a;
  return nullptr;
}

}  // namespace

TEST_CASE("operands that were attributes are derived from the schemas") {
  const OnnxGroup* squeeze = onnx().find("Squeeze", 0);
  REQUIRE(squeeze != nullptr);
  CHECK(squeeze->first == 7);
  const Adaptation* axes = adaptation(*squeeze, Adaptation::Kind::input_was_attr, "axes");
  REQUIRE(axes != nullptr);
  CHECK(axes->since == 13);
  CHECK(axes->index == 1);

  const Adaptation* k = adaptation(*onnx().find("TopK", 0), Adaptation::Kind::input_was_attr, "K");
  REQUIRE(k != nullptr);
  CHECK(k->since == 10);
  CHECK(k->old_name == "k");
}

TEST_CASE("a release of ONNX with one more opset needs no change") {
  auto& versions = onnx::OpSchemaRegistry::DomainToVersionRange::Instance();
  const auto [oldest, newest] = versions.Map().at("");
  versions.UpdateDomainToVersion("", oldest, newest + 1);
  Diagnostics diagnostics;
  const OnnxModel model = OnnxModel::load(repository("opspecs/facts").string(), diagnostics);
  const std::string folder = repository("tests/generator/print/cases").string();
  const SpecSet specs = read_specs(folder + "/dims.yaml", folder, diagnostics);
  const CheckedProgram program = check(specs, facts(), model, diagnostics);
  OpsetRange range;
  const bool good = parse_opsets({std::to_string(newest + 1) + "+", {}}, diagnostics, &range);
  versions.UpdateDomainToVersion("", oldest, newest);
  CHECK(model.find("Relu", 0)->last == newest + 1);
  REQUIRE(!program.ops.empty());
  for (const CheckedOp& op : program.ops) CHECK(op.range.last == newest + 1);
  CHECK(good);
  CHECK(range.last == newest + 1);
  const std::string found = format_text(diagnostics);
  CHECK_MESSAGE(found.empty(), found);
}

TEST_CASE("an operator's name may end with a version") {
  REQUIRE(find_onnx_group(onnx(), "Softmax_11") != nullptr);
  CHECK(find_onnx_group(onnx(), "Softmax_11")->newest().first == 11);
  for (const char* name : {"Softmax_12", "Softmax_", "Softmax_0", "Softmax_11x", "Softmax_99999999999"})
    CHECK(find_onnx_group(onnx(), name) == nullptr);
}

TEST_CASE("unreadable facts are reported with their location") {
  Diagnostics diagnostics;
  const auto facts = std::make_shared<SourceFile>("onnx.yaml", R"(barriers:
  Add:
    seven: no number
widened: {Add: {six: no number}}
early: {Gelu: soon}
barrier: {Add: {7: misspelt}}
)");
  OnnxModel::load(facts, nullptr, diagnostics);
  diagnostics.sort();
  CHECK(format_text(diagnostics) == R"(onnx.yaml:3:5: error: expected an opset but found 'seven' [bad-fact]
      seven: no number
      ^^^^^
onnx.yaml:4:17: error: expected an opset but found 'six' [bad-fact]
  widened: {Add: {six: no number}}
                  ^^^
onnx.yaml:5:15: error: expected an opset but found 'soon' [bad-fact]
  early: {Gelu: soon}
                ^^^^
onnx.yaml:6:1: error: unknown key 'barrier' (did you mean 'barriers'?) [unknown-key]
  barrier: {Add: {7: misspelt}}
  ^^^^^^^
)");
  Diagnostics damaged;
  OnnxModel::load(nullptr, std::make_shared<SourceFile>("contrib.json", "{"), damaged);
  CHECK(format_text(damaged).find("contrib.json: error: the file is not JSON [unreadable-file]\n") !=
        std::string::npos);
  Diagnostics missing;
  OnnxModel::load(std::string("/nowhere"), missing);
  CHECK(format_text(missing).find(R"(cannot read 'opspecs/facts/onnxruntime-contrib.json' [unreadable-file]
)") != std::string::npos);
}

TEST_CASE("nothing is derived across a change of meaning") {
  CHECK(onnx().find("Softmax", 0)->first == 13);
  const OnnxGroup* old = onnx().find("Softmax", 11);
  REQUIRE(old != nullptr);
  CHECK(old->first == 7);
  CHECK(old->last == 12);
  CHECK(old->builder == "Softmax_11");
  CHECK(onnx().find("Softmax", 12) == nullptr);
}

TEST_CASE("what came later is known") {
  CHECK(adaptation(*onnx().find("Slice", 0), Adaptation::Kind::input_added, "steps")->since == 10);
  CHECK(adaptation(*onnx().find("AveragePool", 0), Adaptation::Kind::attr_added, "ceil_mode")->since == 10);
  CHECK(onnx().find("Gelu", 0)->first == 20);
  CHECK(onnx().find("Upsample", 0)->last == 9);
}

}  // namespace opgen::test
