#include "runtime/to_onnx/problems.h"

#include <doctest/doctest.h>

#include "tests/runtime/to_onnx/make_program.h"

using namespace fluid2onnx;
using Fault = Problems::Fault;

namespace {

MakeProgram one_operator() {
  MakeProgram m;
  m.input("x");
  m.variable("y");
  m.unary("relu", "x", "y");
  return m;
}

}  // namespace

TEST_CASE("a failure is reported once") {
  const MakeProgram m = one_operator();
  const Op& op = m.program.main().ops[0];
  Problems problems(m.program, false);
  problems.fail(op, {E_SHAPE, "first"}, Fault::own);
  problems.fail(op, {E_SHAPE, "second"}, Fault::own);
  REQUIRE(problems.all().size() == 1);
  CHECK(problems.all()[0].message == "first");
  CHECK(problems.all()[0].output == "y");
  CHECK(problems.failures() == 2);
}

TEST_CASE("a failure with another cause is not reported") {
  const MakeProgram m = one_operator();
  const Op& op = m.program.main().ops[0];
  Problems problems(m.program, false);
  SUBCASE("in the operator's blocks") { problems.fail(op, {E_UNSUPPORTED, "inside"}, Fault::inside); }
  SUBCASE("about a placeholder") { problems.fail(op, {E_SHAPE, "behind"}, Fault::behind); }
  CHECK(problems.all().empty());
  CHECK(problems.failures() == 1);
}

TEST_CASE("a failure that no operand explains is reported behind another") {
  const MakeProgram m = one_operator();
  Problems problems(m.program, false);
  problems.fail(m.program.main().ops[0], {E_UNSUPPORTED, "behind"}, Fault::behind);
  REQUIRE(problems.all().size() == 1);
  CHECK(problems.all()[0].behind);
}

TEST_CASE("an operator that fails can be left to the runtime") {
  const MakeProgram m = one_operator();
  const Op& op = m.program.main().ops[0];
  Problems problems(m.program, true);
  problems.fail(op, {E_UNSUPPORTED, "why"}, Fault::own);
  CHECK(problems.all().empty());
  CHECK(problems.take_fallback_reason() == "why [E_UNSUPPORTED]");
  CHECK(problems.take_fallback_reason().empty());
  problems.fail(op, {E_UNSUPPORTED, "why"}, Fault::own, /*must_fail=*/true);
  CHECK(problems.all().size() == 1);
  problems.add_custom_node({"paddle::relu", "here", "why"});
  problems.add_custom_node({"paddle::relu", "here", "why"});
  CHECK(problems.custom_nodes().size() == 1);
}

TEST_CASE("a result with another dtype than declared explains later failures") {
  MakeProgram m = one_operator();
  m.variable("z");
  m.unary("relu", "y", "z");
  Problems problems(m.program, false);
  problems.note_dtype(m.program.main().ops[0], "y", Dtype::int64, "my.yaml");
  problems.fail(m.program.main().ops[1], {E_DTYPE, "no kernel"}, Fault::own);
  CHECK(problems.all()[0].hint.find("'y' is int64 by the spec of 'relu' in my.yaml") == 0);
}

TEST_CASE("an output that no operator writes is reported without one") {
  const MakeProgram m = one_operator();
  Problems problems(m.program, false);
  problems.refuse_output("x", nullptr, Refused(E_DTYPE, "no dtype"));
  problems.refuse_output("y", &m.program.main().ops[0], Refused(E_DTYPE, "no dtype"));
  REQUIRE(problems.all().size() == 2);
  CHECK(problems.all()[0].place() == "output 'x'");
  CHECK(problems.all()[1].op_type == "relu");
}

TEST_CASE("taint follows operands") {
  const MakeProgram m = one_operator();
  Scope scope;
  scope.set("x", {});
  CHECK(!reads_tainted(m.program, m.program.main().ops[0], scope));
  scope.set("x", {Value(), true, nullptr});
  CHECK(reads_tainted(m.program, m.program.main().ops[0], scope));
}
