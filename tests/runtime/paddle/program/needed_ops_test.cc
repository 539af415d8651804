#include "runtime/paddle/program/needed_ops.h"

#include <doctest/doctest.h>

#include "tests/runtime/to_onnx/make_program.h"

using namespace fluid2onnx;

namespace {

std::vector<std::string> types(const std::vector<NeededOp>& ops) {
  std::vector<std::string> list;
  for (const NeededOp& live : ops) list.push_back(live.op->type);
  return list;
}
using Types = std::vector<std::string>;

}  // namespace

TEST_CASE("operators that no output needs are left out") {
  MakeProgram m;
  m.unary("relu", "x", "a");
  m.unary("tanh", "x", "b");
  m.unary("abs", "a", "y");
  CHECK(types(needed_ops(m.program, 0, {"y"})) == Types{"relu", "abs"});
}

TEST_CASE("a write ends the life of the value from before") {
  MakeProgram m;
  m.unary("relu", "x", "a");
  m.unary("tanh", "x", "a");
  const auto ops = needed_ops(m.program, 0, {"a"});
  CHECK(types(ops) == Types{"tanh"});
  CHECK(std::vector<std::string>(ops[0].read_later.begin(), ops[0].read_later.end()) == std::vector<std::string>{"a"});
}

TEST_CASE("a block that may not run keeps the value from before alive") {
  MakeProgram m;
  for (const char* name : {"x", "a", "c"}) m.variable(name);
  const int32_t body = m.block(0);
  m.unary("relu", "x", "a");
  m.op("conditional_block", {{"Cond", {"c"}}}, {{"Out", {"a"}}}, {sub_block(body)});
  m.unary("tanh", "x", "a", body);
  CHECK(types(needed_ops(m.program, 0, {"a"})) == Types{"relu", "conditional_block"});
}

TEST_CASE("variables that attributes name are read") {
  MakeProgram m;
  m.unary("shape", "x", "axes");
  m.op("reduce_sum", {{"X", {"x"}}}, {{"Out", {"y"}}}, {{"dim", VariableRefs{{"axes"}, false}}});
  CHECK(types(needed_ops(m.program, 0, {"y"})) == Types{"shape", "reduce_sum"});
}

TEST_CASE("given variables need no operator") {
  MakeProgram m;
  m.unary("relu", "x", "a");
  m.unary("abs", "a", "y");
  NameSet needed;
  CHECK(types(needed_ops(m.program, 0, {"y"}, {"a"}, &needed)) == Types{"abs"});
  CHECK(needed.empty());
  needed_ops(m.program, 0, {"y"}, {}, &needed);
  CHECK(needed == NameSet{"x"});
}

TEST_CASE("it is known where a variable is named for the last time") {
  MakeProgram m;
  m.op("sum", {{"X", {"x", "y", "x"}}}, {{"Out", {"a"}}});
  m.unary("relu", "a", "x");
  m.unary("abs", "x", "y");
  m.op("split", {{"X", {"y"}}}, {{"Out", {"b", "c"}}});
  const auto ops = needed_ops(m.program, 0, {"b"});
  REQUIRE(ops.size() == 4);
  CHECK(ops[0].last_mentions == 0);      // all are read, or written again
  CHECK(ops[1].last_mentions == 0b01);   // a
  CHECK(ops[2].last_mentions == 0b01);   // x
  CHECK(ops[3].last_mentions == 0b101);  // y and c; b is wanted
}

TEST_CASE("what a block names is named by its operator") {
  MakeProgram m;
  for (const char* name : {"x", "a", "c"}) m.variable(name);
  const int32_t body = m.block(0);
  m.unary("relu", "x", "a");
  m.op("conditional_block", {{"Cond", {"c"}}}, {{"Out", {"a"}}}, {sub_block(body)});
  m.unary("tanh", "x", "a", body);
  const auto ops = needed_ops(m.program, 0, {"a"});
  REQUIRE(ops.size() == 2);
  CHECK(ops[0].last_mentions == 0);
  CHECK(ops[1].last_mentions == 0b11);  // c and x
}
