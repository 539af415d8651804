#include "generator/spec/example.h"

#include <doctest/doctest.h>

#include "generator/spec/tensor_text.h"
#include "tests/generator/support.h"

namespace opgen::test {
namespace {

using nlohmann::json;

TensorExample tensor(const std::string& text) {
  Diagnostics diagnostics;
  std::optional<TensorExample> parsed = parse_tensor({text, {}}, diagnostics);
  CHECK_MESSAGE(!diagnostics.has_errors(), format_text(diagnostics));
  return parsed.value_or(TensorExample{});
}

json examples(const std::string& spec) {
  const SpecSet specs = specs_of(spec);
  Diagnostics diagnostics;
  check_examples(specs, facts(), diagnostics);
  CHECK_MESSAGE(!diagnostics.has_errors(), format_text(diagnostics));
  return examples_json(specs, facts());
}

}  // namespace

TEST_CASE("the text of an operand") {
  const TensorExample plain = tensor("float32[2, 3]");
  CHECK(plain.dtype == "float32");
  CHECK(plain.dims == std::vector<int64_t>{2, 3});
  CHECK_FALSE(plain.range.has_value());
  CHECK(plain.values.is_null());
  CHECK(tensor("bool[]").dims.empty());
  CHECK(tensor("float32[0, 3]").dims[0] == 0);

  const TensorExample ranged = tensor("int64[4] in [-2, 10) sorted unique");
  CHECK(ranged.range->low == -2);
  CHECK(ranged.range->high == 10);
  CHECK_FALSE(ranged.range->closed);
  CHECK(ranged.words == std::vector<std::string>{"sorted", "unique"});
  CHECK(tensor("float32[4] nonzero in [1e-3, 2.5]").range->closed);
  CHECK(tensor("int32[2] in [3, 3]").range->low == 3);
  CHECK(tensor("float32[2, 4] boxes in [0, 100)").words[0] == "boxes");
  CHECK(tensor("int32[5] permutation").words[0] == "permutation");

  CHECK(tensor("int64[2, 2] = [[1, 2], [3, 4]]").values == json::parse("[[1,2],[3,4]]"));
  CHECK(tensor("float32[] = 0.5").values == 0.5);
  CHECK(tensor("float32[4]=[inf, -inf, nan, 1]").values == json::parse(R"(["inf", "-inf", "nan", 1])"));
  CHECK(tensor("bool[2] = [true, false]").values == json::parse("[true, false]"));
  CHECK(tensor("float32[0] = []").values == json::array());

  const TensorExample lod = tensor("float32[5, 2] lod [0, 2] lod [0, 2, 5]");
  CHECK(lod.lod == std::vector<std::vector<int64_t>>{{0, 2}, {0, 2, 5}});
}

TEST_CASE("an example as the conformance runner gets it") {
  const json list = examples(R"(op: reshape2
doc: Fine
inputs: [X]
outputs: [Out]
nodes: [Out = X]
examples:
  - in: {X: "float32[2, 6] in [0, 1]", ShapeTensor: ["int32[1] = [4]", "int32[1] = [3]"]}
    const: [ShapeTensor]
    dyn: {X: [0]}
    opset: 13+
    tol: 1e-3
    why: it is a test
  - name: second
    in: {X: "float32[2, 6]"}
    attrs: {shape: [3, -1]}
    dyn: all
    refused: TOO_BAD
)");
  REQUIRE(list.size() == 2);
  const json& first = list[0];
  CHECK(first.at("op") == "reshape2");
  CHECK(first.at("example") == "0");
  CHECK(first.at("spec") == "test.yaml");
  CHECK(first.at("line") == 7);
  CHECK(first.at("inputs") == json::parse(R"({
    "X": [{"name": "X", "dtype": "float32", "shape": [2, 6], "range": [0.0, 1.0, true]}],
    "ShapeTensor": [{"name": "ShapeTensor.0", "dtype": "int32", "shape": [1], "values": [4]},
                    {"name": "ShapeTensor.1", "dtype": "int32", "shape": [1], "values": [3]}]})"));
  CHECK(first.at("const") == json{"ShapeTensor"});
  CHECK(first.at("dyn") == json{{"X", {0}}});
  CHECK(first.at("outputs") == json{{"Out", 1}, {"XShape", 1}});
  CHECK(first.at("compare") == json{"Out"});
  CHECK(first.at("attrs").at("shape") == json{{"type", "ints"}, {"value", json::array()}, {"default", true}});
  CHECK(first.at("tol") == json{{"rtol", 1e-3}, {"atol", 1e-3}});
  CHECK(first.at("opsets") == "13.." + std::to_string(newest_opset()));
  CHECK(list[1].at("example") == "second");
  CHECK(list[1].at("attrs").at("shape") == json{{"type", "ints"}, {"value", {3, -1}}});
  CHECK(list[1].at("dyn") == "all");
  CHECK(list[1].at("refused") == "TOO_BAD");
}

TEST_CASE("attributes may name dtypes, and operands may stand for attributes") {
  const json list = examples(R"(op: cast
doc: Fine
inputs: [X]
outputs: [Out]
nodes: [Out = X]
examples:
  - in: {X: "float32[2]"}
    attrs: {in_dtype: float32, out_dtype: 3}
)");
  CHECK(list.at(0).at("attrs").at("in_dtype").at("value") == 5);
  CHECK(list.at(0).at("attrs").at("out_dtype").at("value") == 3);
  const json summed = examples(R"(op: cumsum
doc: Fine
inputs: [X]
outputs: [Out]
nodes: [Out = X]
examples:
  - in: {X: "float32[2]", axis: "int32[1] = [0]"}
    attrs: {flatten: false}
    tol: random
    why: it draws
)");
  CHECK(summed.at(0).at("inputs").at("axis").at(0).at("name") == "axis");
  CHECK(summed.at(0).at("random") == true);
}

TEST_CASE("list outputs have a length, optional ones are made when the spec speaks of them") {
  const json list = examples(R"(op: split
doc: Fine
inputs: [X]
outputs: [Out]
nodes: [Out = X]
examples:
  - in: {X: "float32[4]"}
    attrs: {num: 2}
    out: {Out: 2}
)");
  CHECK(list.at(0).at("outputs") == json{{"Out", 2}});
  CHECK(list.at(0).at("compare") == json{"Out"});
}

TEST_CASE("a reference replaces an operator that Paddle does not have") {
  const json list = examples(R"(op: relu_old
doc: Fine
inputs: {X: tensor, Ys: list}
outputs: {Out: tensor, Zs: list}
nodes: [Out = X, Zs = Ys]
examples:
  - in: {X: "float32[2]", Ys: ["float32[2]", "float32[2]"]}
    out: {Zs: 2}
    reference:
      - {op: concat, in: {X: Ys}, out: {Out: joined}, attrs: {axis: 0}}
      - {op: split, in: {X: joined}, out: {Out: Zs}, attrs: {num: 2}}
      - {op: elementwise_add, in: {X: X, Y: Ys.1}, out: {Out: Out}}
)");
  const json& steps = list.at(0).at("reference");
  REQUIRE(steps.size() == 3);
  CHECK(steps[0].at("in") == json{{"X", {"Ys.0", "Ys.1"}}});
  CHECK(steps[0].at("out") == json{{"Out", {"joined"}}});
  CHECK(steps[0].at("attrs").at("axis").at("value") == 0);
  CHECK(steps[1].at("out") == json{{"Out", {"Zs.0", "Zs.1"}}});
  CHECK(steps[2].at("in") == json{{"X", {"X"}}, {"Y", {"Ys.1"}}});
}

TEST_CASE("the examples of the committed specs are fine") {
  Diagnostics diagnostics;
  const SpecSet specs = read_specs(repository("opspecs"), OPGEN_SOURCE_DIR, diagnostics);
  check_examples(specs, facts(), diagnostics);
  diagnostics.sort();
  CHECK_MESSAGE(!diagnostics.has_errors(), format_text(diagnostics));
}

}  // namespace opgen::test
