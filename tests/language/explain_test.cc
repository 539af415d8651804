// explain/decomposed.yaml, explained at one opset after the other.
#include "generator/explain/explain.h"

#include <doctest/doctest.h>

#include "support.h"

namespace opgen::test {

TEST_CASE("explain shows the nodes as an opset has them") {
  const auto checked = check_file(repository("tests/language/explain/decomposed.yaml"));
  const std::string messages = format_text(checked->diagnostics);
  REQUIRE_MESSAGE(messages.empty(), messages);
  for (const int opset : {11, 13, 14, 18}) {
    CAPTURE(opset);
    const std::string told = explain(checked->program, onnx(), checked->program.ops.at(0), opset);
    CHECK_MESSAGE(matches(repository("tests/language/explain/decomposed." + std::to_string(opset) + ".txt"), told),
                  told);
  }
}

TEST_CASE("explain shows what an operator of ONNX becomes in Paddle") {
  const auto checked = check_file(repository("tests/language/explain/way-back.yaml"));
  const std::string messages = format_text(checked->diagnostics);
  REQUIRE_MESSAGE(messages.empty(), messages);
  const std::string told = explain(checked->program, onnx(), checked->program.onnx.at(0), 17);
  CHECK_MESSAGE(matches(repository("tests/language/explain/way-back.txt"), told), told);
}

}  // namespace opgen::test
