// explain/decomposed.yaml, explained at one opset after the other.
#include "generator/explain/explain.h"

#include <doctest/doctest.h>

#include "tests/generator/support.h"

namespace opgen::test {

TEST_CASE("explain shows the nodes as an opset has them") {
  const auto checked = check_file(repository("tests/generator/explain/cases/decomposed.yaml"));
  const std::string messages = format_text(checked->diagnostics);
  REQUIRE_MESSAGE(messages.empty(), messages);
  for (const int opset : {11, 13, 14, 18}) {
    CAPTURE(opset);
    const std::string text = explain(checked->program, onnx(), {}, checked->program.ops.at(0), opset);
    CHECK_MESSAGE(
        matches(repository("tests/generator/explain/cases/decomposed." + std::to_string(opset) + ".txt"), text), text);
  }
}

TEST_CASE("explain tells of nodes that ONNX Runtime does not run") {
  const auto checked = check_file(repository("tests/generator/explain/cases/decomposed.yaml"));
  KernelFacts facts;
  facts.version = "1.2";
  facts.missing["Trilu"] = {{14, 16}, {18, 19}};
  const auto text = [&](int opset) {
    return explain(checked->program, onnx(), facts, checked->program.ops.at(0), opset);
  };
  CHECK(text(18).find("  ONNX Runtime 1.2 has no kernel of Trilu for float32 at opsets 18 to 19: another variant is "
                      "needed there\n") != std::string::npos);
  CHECK(text(17).find("no kernel") == std::string::npos);

  const KernelFacts real = read_kernel_facts(repository(""));
  CHECK(real.without_kernel("RoiAlign", 22).find("has no kernel of RoiAlign") != std::string::npos);
  CHECK(real.without_kernel("RoiAlign", 16).empty());
  CHECK(read_kernel_facts("/nowhere").missing.empty());
}

TEST_CASE("explain notes later values of attributes that may have them") {
  const auto checked = check_file(repository("tests/generator/explain/cases/later-values.yaml"));
  const std::string messages = format_text(checked->diagnostics);
  REQUIRE_MESSAGE(messages.empty(), messages);
  const std::string text = explain(checked->program, onnx(), {}, checked->program.ops.at(0), 17);
  CHECK_MESSAGE(matches(repository("tests/generator/explain/cases/later-values.txt"), text), text);
}

TEST_CASE("explain shows what an operator of ONNX becomes in Paddle") {
  const auto checked = check_file(repository("tests/generator/explain/cases/onnx-operator.yaml"));
  const std::string messages = format_text(checked->diagnostics);
  REQUIRE_MESSAGE(messages.empty(), messages);
  const std::string text = explain(checked->program, onnx(), {}, checked->program.onnx.at(0), 17);
  CHECK_MESSAGE(matches(repository("tests/generator/explain/cases/onnx-operator.txt"), text), text);
}

}  // namespace opgen::test
