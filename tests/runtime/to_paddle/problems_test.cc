#include "runtime/to_paddle/problems.h"

#include <doctest/doctest.h>

#include "runtime/support/refused.h"
#include "tests/runtime/to_paddle/make_graph.h"

using namespace fluid2onnx;

TEST_CASE("a failure of a node names its first output") {
  MakeGraph m;
  const onnx::NodeProto& node = m.node("Relu", {"x"}, {"", "y"});
  OnnxProblems problems;
  problems.fail(node, 3, 1, Refused(E_OPSET, "too old", 13), "my.yaml:3");
  problems.fail(node, 3, 1, std::runtime_error("a bug"), "");
  REQUIRE(problems.all().size() == 2);
  const Problem& first = problems.all()[0];
  CHECK(first.output == "y");
  CHECK(first.index == 3);
  CHECK(first.block == 1);
  CHECK(first.spec == "my.yaml:3");
  CHECK(first.working_opset == 13);
  CHECK(first.in_onnx);
  CHECK(problems.all()[1].code == E_INTERNAL);
  CHECK(problems.take_from(0).message == "too old");
  CHECK(problems.all().empty());
}

TEST_CASE("taint is forgotten with its values") {
  OnnxProblems problems;
  problems.taint(Value{4});
  CHECK(problems.is_tainted(Value{4}));
  CHECK(!problems.is_tainted(Value{3}));
  CHECK(!problems.is_tainted(Value()));
  problems.forget_from(Value{4});
  CHECK(!problems.is_tainted(Value{4}));
}
