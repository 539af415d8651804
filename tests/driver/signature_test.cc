#include "runtime/driver/signature.h"

#include <doctest/doctest.h>

#include "runtime/support/error.h"
#include "tests/driver/make_program.h"

using namespace fluid2onnx;

TEST_CASE("shapes on the command line") {
  CHECK(parse_input_shape("1,3") == InputShape{{1, ""}, {3, ""}});
  CHECK(parse_input_shape("batch,-1,?") == InputShape{{-1, "batch"}, {-1, ""}, {-1, ""}});
  CHECK(parse_input_shape("").empty());
  for (const char* bad : {"1,,2", ",", "1,", "3b", "99999999999999999999", "1.5", "0,3", "-5", "-2x"}) {
    CAPTURE(bad);
    CHECK_THROWS_WITH_AS(parse_input_shape(bad), doctest::Contains("expected a size of at least 1"), Error);
  }
}

TEST_CASE("unknown dims have names, different ones") {
  MakeProgram m;
  m.input("x", Dtype::float32, {-1, 3, -5});
  m.output("x");
  const Signature plain = plan_signature(m.program, {});
  CHECK(port_text(plain.inputs[0]) == "float32[x.0, 3, x.2]");

  ConvertOptions options;
  options.input_shapes["x"] = parse_input_shape("N,3,?");
  const Signature given = plan_signature(m.program, options);
  CHECK(port_text(given.inputs[0]) == "float32[N, 3, x.2]");
  options.input_shapes["x"] = parse_input_shape("N,3");
  CHECK_THROWS_AS(plan_signature(m.program, options), Error);
}

TEST_CASE("only tensors can be inputs and outputs") {
  MakeProgram m;
  m.input("x");
  m.variable("list");
  m.program.blocks[0].variables["list"].kind = VariableKind::tensor_array;
  m.output("list");
  CHECK_THROWS_WITH_AS(plan_signature(m.program, {}), doctest::Contains("'list' is a tensor array"), Error);
}

TEST_CASE("renames must not collide") {
  MakeProgram m;
  m.input("x");
  m.input("z");
  m.variable("y");
  m.output("y");
  ConvertOptions options;
  options.renames = {{"y", "x"}};
  CHECK_THROWS_WITH_AS(plan_signature(m.program, options), doctest::Contains("would have the name 'x'"), Error);
  options.renames = {{"x", "z"}, {"z", "x"}};
  CHECK(plan_signature(m.program, options).inputs[0].name == "z");
  options.renames = {{"w", "x"}};
  CHECK_THROWS_WITH_AS(plan_signature(m.program, options), doctest::Contains("'w' is not an input or output"), Error);
}
