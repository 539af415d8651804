// What `opgen new` prints must be a spec that can be read, whatever the operator.
#include <doctest/doctest.h>

#include "generator/check/onnx_fact.h"
#include "generator/explain/skeleton.h"
#include "tests/generator/support.h"

namespace opgen::test {

TEST_CASE("the skeleton of every operator of Paddle is a spec") {
  size_t count = 0;
  for (const auto* table : {&facts().ops, &facts().newer})
    for (const auto& [op, fact] : *table) {
      CAPTURE(op);
      const std::string text = skeleton(op, fact, facts(), "");
      const auto source = std::make_shared<const SourceFile>("new.yaml", text);
      Diagnostics diagnostics;
      SpecSet specs;
      read_spec_file(source, specs, diagnostics);
      const std::string messages = format_text(diagnostics);
      CHECK_MESSAGE(messages.empty(), text << messages);
      CHECK(specs.ops.size() == 1);
      ++count;
    }
  CHECK(count > 700);
}

TEST_CASE("the skeleton of an operator of ONNX has its operands, attributes and an example") {
  const OnnxGroup* group = onnx().find("Gemm", 0);
  REQUIRE(group != nullptr);
  CHECK(skeleton("Gemm", onnx_fact(*group), facts(), "") ==
        "op: Gemm\n"
        "doc: What it computes, in one line\n"
        "inputs: [A, B, C]\n"
        "# may be absent: C\n"
        "outputs: [Y]\n"
        "attrs: [alpha, beta, transA, transB]\n"
        "# alpha: float = 1.0\n"
        "# beta: float = 1.0\n"
        "# transA: int = 0\n"
        "# transB: int = 0\n"
        "nodes:\n"
        "  - Y = Identity(A)\n"
        "examples:  # shapes that fit, and ranges that matter: \"float32[2, 3] in [0, 1]\"\n"
        "  - in: {A: \"float32[2, 3, 4]\", B: \"float32[2, 3, 4]\"}\n");
}

TEST_CASE("a skeleton has what the facts say") {
  CHECK(skeleton("top_k_v2", facts().ops.at("top_k_v2"), facts(), "sorts") ==
        "# fluid2onnx does not convert it: sorts.\n# A spec among fluid2onnx's own takes it out of "
        "opspecs/facts/unconverted.yaml.\n"
        "op: top_k_v2\n"
        "doc: What it computes, in one line\n"
        "inputs: [X]\n"
        "outputs: [Out, Indices]\n"
        "attrs: [axis, largest, sorted]\n"
        "# axis: int = -1\n"
        "# largest: bool = true\n"
        "# sorted: bool = true\n"
        "params: {k: int}\n"
        "nodes:\n"
        "  - Out = Identity(X)\n"
        "  - Indices = Identity(X)\n"
        "examples:  # shapes that fit, and ranges that matter: \"float32[2, 3] in [0, 1]\"\n"
        "  - in: {X: \"float32[2, 3, 4]\"}\n");
}

}  // namespace opgen::test
