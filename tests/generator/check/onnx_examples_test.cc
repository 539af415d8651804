// Examples of ONNX operators: the versions that can express them, and errors for those that no version can.
#include "generator/check/onnx_examples.h"

#include <doctest/doctest.h>

#include "generator/spec/parse.h"
#include "tests/generator/support.h"

namespace opgen::test {
namespace {

using nlohmann::json;

SpecSet parsed_specs(const std::string& examples, const std::string& head, Diagnostics& diagnostics) {
  const std::string text = head + "nodes: [Y = X]\nexamples:\n" + examples;
  SpecSet specs;
  read_spec_file(std::make_shared<const SourceFile>("onnx/test.yaml", text), specs, diagnostics);
  return specs;
}

/// The nodes of the one example.
json nodes(const std::string& head, const std::string& example) {
  Diagnostics diagnostics;
  const SpecSet specs = parsed_specs(example, head, diagnostics);
  check_onnx_examples(specs, onnx(), facts(), diagnostics);
  CHECK_MESSAGE(!diagnostics.has_errors(), format_text(diagnostics));
  const json list = onnx_examples_json(specs, onnx(), facts());
  REQUIRE(list.size() == 1);
  return list[0].at("onnx").at("nodes");
}

std::string problem(const std::string& head, const std::string& example) {
  Diagnostics diagnostics;
  const SpecSet specs = parsed_specs(example, head, diagnostics);
  check_onnx_examples(specs, onnx(), facts(), diagnostics);
  const std::string text = format_text(diagnostics);
  CHECK(diagnostics.has_errors());
  return text.substr(0, text.find('\n'));
}

const std::string kSqueeze = "op: Squeeze\ndoc: Test\ninputs: [data, axes]\noutputs: [squeezed]\n";
const std::string kCast = "op: Cast\ndoc: Test\ninputs: [input]\noutputs: [output]\nattrs: [to]\n";

}  // namespace

TEST_CASE("a constant operand is an attribute in older versions") {
  const json all = nodes(kSqueeze, "  - in: {data: \"float32[2, 1]\", axes: \"int64[1] = [1]\"}\n    const: [axes]\n");
  REQUIRE(all.size() >= 3);
  CHECK(all[0].at("first") == 7);
  CHECK(all[0].at("last") == 10);
  CHECK(all[0].at("inputs") == json{{{"name", "data"}}});
  CHECK(all[0].at("attrs").at("axes") == json{{"operand", "axes"}, {"type", "ints"}});
  CHECK(all[2].at("first") == 13);
  CHECK(all[2].at("inputs").size() == 2);
  CHECK(all[2].at("attrs").empty());
}

TEST_CASE("an older version leaves out examples that it cannot express") {
  // Computed axes came with 13, negative ones with 11, bfloat16 of Cast with 13.
  CHECK(nodes(kSqueeze, "  - in: {data: \"float32[2, 1]\", axes: \"int64[1] = [1]\"}\n")[0].at("first") == 13);
  CHECK(nodes(kSqueeze, "  - in: {data: \"float32[2, 1]\", axes: \"int64[1] = [-1]\"}\n    const: [axes]\n")[0].at(
            "first") == 11);
  const json cast = nodes(kCast, "  - in: {input: \"bfloat16[2]\"}\n    attrs: {to: float32}\n");
  CHECK(cast[0].at("first") == 13);
  CHECK(cast[0].at("attrs").at("to").at("value") == 1);
}

TEST_CASE("'opset' narrows the versions") {
  const json all = nodes(kSqueeze, "  - in: {data: \"float32[2, 1]\"}\n    opset: 11..12\n");
  REQUIRE(all.size() == 1);
  CHECK(all[0].at("first") == 11);
  CHECK(all[0].at("last") == 12);
}

TEST_CASE("examples that no version can express are reported") {
  CHECK(problem(kSqueeze, "  - in: {data: \"float32[2, 1]\", axes: \"float32[1]\"}\n") ==
        "onnx/test.yaml:7:5: error: no version of 'Squeeze' can express this example: operand 'axes' cannot be float32 "
        "[bad-example]");
  CHECK(problem(kCast, "  - in: {input: \"float32[2]\"}\n") ==
        "onnx/test.yaml:8:5: error: attribute 'to' (int) of 'Cast' has no default [missing-attribute]");
  CHECK(problem(kSqueeze, "  - in: {date: \"float32[2, 1]\"}\n") ==
        "onnx/test.yaml:7:10: error: 'Squeeze' has no input 'date' (did you mean 'data'?) [unknown-slot]");
}

}  // namespace opgen::test
