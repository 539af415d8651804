// If and while of Paddle 3.
#include <nlohmann/json.hpp>

#include "tests/runtime/paddle/read/pir_programs.h"

namespace fluid2onnx::test::pir {
namespace {

const json kBool = tensor({}, "0.t_bool");

/// A loop over value 2, whose body has argument -1 and yields the condition and `next`.
json loop(const List& body, std::int64_t next, const json& type, const Ints& operands = {1, 2}) {
  json result = op("1.while", operands, {{8, type}});
  List ops = body;
  ops.push_back(op("2.yield", {1, next}, {}));
  result["regions"] = List{region(ops)};
  result["regions"][0]["blocks"][0]["args"] = List{json{{"#", -1}, {"TT", type}}};
  return result;
}

}  // namespace

TEST_CASE("a branch ends in a yield of its results") {
  const auto branch = [](const List& then) {
    json result = op("1.if", {1}, {{8, tensor()}});
    result["regions"] = List{region(then), region({op("2.yield", {2}, {})})};
    return List{data("c", 1, kBool), data("x", 2), result, fetch(8)};
  };
  const Program program = read(branch({op("1.relu", {2}, {{3, tensor()}}), op("2.yield", {3}, {})}));
  CHECK(only(program, "relu", 1).input("X", 0) == "x");
  CHECK(only(program, "select_input").input("X") == Names{"if_8.false", "if_8.true"});
  const std::string message = "region 0 does not end in a yield of 1 values";
  for (const List& then : {List{}, List{op("1.relu", {2}, {{3, tensor()}})}, List{op("2.yield", {}, {})},
                           List{op("2.yield", {2, 2}, {})}}) {
    expect_bad(branch(then), "block 1, op 2 'pd_op.if'", message);
  }
}

TEST_CASE("choices of another form") {
  const auto select = [](const Ints& operands, const std::map<std::int64_t, json>& results) {
    return List{data("m", 1, tensor({}, "0.t_i32")), data("x", 2), op("1.select_input", operands, results), fetch(8)};
  };
  const Op chosen = only(read(select({1, 2, 2}, {{8, tensor()}})), "select_input");
  CHECK(chosen.input("Mask") == Names{"m"});
  CHECK(chosen.input("X") == Names{"x", "x"});
  const std::string place = "block 0, op 2 'pd_op.select_input'", wanted = "expected a mask, operands and one result";
  expect_bad(select({1}, {{8, tensor()}}), place, wanted);
  expect_bad(select({1, 2}, {{8, tensor()}, {9, tensor()}}), place, wanted);
}

TEST_CASE("loops of another form") {
  const std::string place = "block 0, op 2 'pd_op.while'",
                    wanted = "expected one region with an argument for each of 1 results";
  const auto with = [](const json& changed) { return List{data("c", 1, kBool), data("x", 2), changed, fetch(8)}; };
  const json good = loop({}, -1, tensor());
  CHECK(only(read(with(good)), "while").output("Out", 0) == "while_8");
  json changed = good;
  changed["regions"] = List{};
  expect_bad(with(changed), place, wanted);
  expect_bad(with(loop({}, -1, tensor(), {1})), place, wanted);
  changed = good;
  changed["regions"][0]["blocks"][0]["args"] = List{};
  expect_bad(with(changed), place, wanted);
  expect_bad(with(loop({}, 7, tensor())), "block 1, op 0 'cf.yield'",
             "operand 1 is value 7, which is not defined before");
}

TEST_CASE("a loop writes to the array that it starts with") {
  json array = tensor();
  array["#"] = "0.t_dense_tensor_array";
  const Program program =
      read({data("c", 1, kBool), op("1.create_array", {}, {{2, array}}), loop({}, -1, array), fetch(8)});
  CHECK(only(program, "while").output("Out", 0) == "create_array_2");
  REQUIRE(program.blocks[1].ops.size() == 1);
  CHECK(program.blocks[1].ops[0].output("Out") == Names{"while_2.condition"});
  CHECK(program.main().ops.back().input("X", 0) == "create_array_2");
}

}  // namespace fluid2onnx::test::pir
