// Operators that the table of Paddle 3's operators describes.
#include "runtime/paddle/read/pir_translate.h"

#include <nlohmann/json.hpp>

#include "tests/runtime/paddle/read/pir_programs.h"

namespace fluid2onnx::test::pir {
namespace {

const json kScalar = tensor({}, "0.t_i64"), kPair = tensor({2}, "0.t_i64");

json values_of_type(const List& elements) { return {{"#", "0.t_vec"}, {"D", elements}}; }

json constant(std::int64_t id, const Ints& values) {
  return op("1.full_int_array", {}, {{id, tensor({static_cast<std::int64_t>(values.size())}, "0.t_i64")}},
            {attr("value", "0.a_array", ints(values)), attr("dtype", "1.a_dtype", "int64")});
}

/// x is value 1, and `op` makes the output.
Program with_x(List ops) {
  ops.insert(ops.begin(), data("x", 1));
  ops.push_back(fetch(9));
  return read(ops);
}

}  // namespace

TEST_CASE("attributes of any operator are no reason to refuse one") {
  const Program program = with_x(
      {op("1.relu", {1}, {{9, tensor()}},
          {attr("struct_name", "0.a_str", "/"), attr("chunk_id", "0.a_i32", 3), attr("op_role", "0.a_i32", 1)})});
  CHECK(only(program, "relu").refusal.empty());
  CHECK(only(program, "relu").attrs.empty());
  const Program custom = with_x({op("3.mine", {1}, {{9, tensor()}}, {attr("struct_name", "0.a_str", "/")})});
  CHECK(only(custom, "mine").attrs.empty());
}

TEST_CASE("attributes of a kind that only a later Paddle writes") {
  const auto of_kind = [](const char* name, const char* kind) { return List{attr(name, kind, "value")}; };
  const std::string reason = "has a value of an unknown kind";
  CHECK(only(with_x({op("1.softmax", {1}, {{9, tensor()}}, of_kind("axis", "0.a_later"))}), "softmax").refusal ==
        "attribute 'axis' of 'pd_op.softmax' " + reason);
  CHECK(only(with_x({op("3.mine", {1}, {{9, tensor()}}, of_kind("axis", "0.a_later"))}), "mine").refusal ==
        "attribute 'axis' of 'custom_op.mine' " + reason);
  expect_bad({op("1.full", {}, {{9, tensor()}}, of_kind("value", "0.a_later")), fetch(9)}, "block 0, op 0 'pd_op.full'",
             "attribute 'value' " + reason);
  // Nothing is lost with the kinds without meaning for inference, or with what no operator reads.
  for (const auto& [name, kind] : {std::pair("axis", "1.a_place"), std::pair("op_dist_attr", "4.a_op_dist")}) {
    CHECK(only(with_x({op("1.softmax", {1}, {{9, tensor()}}, of_kind(name, kind))}), "softmax").refusal.empty());
  }
}

TEST_CASE("operators with more parts than Paddle 3.3 has") {
  for (const json& one : {op("1.relu", {1, 1}, {{9, tensor()}}), op("1.relu", {1}, {{9, tensor()}, {10, tensor()}})}) {
    CHECK(only(with_x({one}), "relu").refusal == "'pd_op.relu' has more operands or results than in Paddle 3.3");
  }
  CHECK(only(with_x({op("1.top_p_sampling", {1, 1, 0, 1}, {{9, tensor()}})}), "top_p_sampling").refusal ==
        "operand 'topp_seed' of 'pd_op.top_p_sampling' cannot be converted");
  // A result that Fluid does not have keeps its name.
  const Program program =
      with_x({op("1.fused_rms_norm_quant", {1, 0, 0, 1}, {{9, tensor()}, {10, tensor()}, {11, tensor()}})});
  CHECK(only(program, "rms_norm").output("inv_var") == Names{"fused_rms_norm_quant_11"});
}

TEST_CASE("operands that Fluid has as attributes, too") {
  const auto axis = [](const json& operand, const char* name = "1.argmax") {
    return with_x({operand, op(name, {1, 2}, {{9, tensor()}})});
  };
  CHECK(only(axis(constant(2, {1})), "arg_max").get_int("axis") == 1);
  // The attribute may name a variable.
  const Program variable = axis(data("a", 2, kScalar));
  CHECK(*only(variable, "arg_max").attr("axis")->as_variables() == VariableRefs{{"a"}, false});
  const auto list = [](const Ints& elements) {
    return op("0.combine", elements, {{2, values_of_type(List(elements.size(), kScalar))}});
  };
  const Program several =
      with_x({data("a", 3, kScalar), data("b", 4, kScalar), list({3, 4}), op("1.argmax", {1, 2}, {{9, tensor()}})});
  CHECK(*only(several, "arg_max").attr("axis")->as_variables() == VariableRefs{{"a", "b"}, true});
  const Program single = with_x({data("a", 3, kPair), list({3}), op("1.argmax", {1, 2}, {{9, tensor()}})});
  CHECK(*only(single, "arg_max").attr("axis")->as_variables() == VariableRefs{{"a"}, false});
  // It must be a number or one variable.
  CHECK(only(with_x({data("a", 3, kScalar), data("b", 4, kScalar), list({3, 4}),
                     op("1.topk", {1, 2}, {{9, tensor()}, {10, tensor()}})}),
             "top_k_v2")
            .refusal == "'k' is computed at run time in a form that cannot be converted");
  CHECK(only(with_x({data("k", 2, kScalar), op("1.topk", {1, 2}, {{9, tensor()}, {10, tensor()}})}), "top_k_v2")
            .input("K") == Names{"k"});
}

TEST_CASE("sizes that Fluid has as attributes, too") {
  const auto reshape = [](List ops) {
    ops.push_back(op("1.reshape", {1, 2}, {{9, tensor()}}));
    return only(with_x(ops), "reshape2");
  };
  const auto list = [](const Ints& elements, const json& type) {
    return op("0.combine", elements, {{2, values_of_type(List(elements.size(), type))}});
  };
  CHECK(reshape({constant(3, {6}), constant(4, {-1}), list({3, 4}, kScalar)}).attr("shape")->as_ints() == Ints{6, -1});
  CHECK(reshape({constant(3, {6, 1}), list({3}, kPair)}).get_ints("shape") == Ints{6, 1});
  // One of several elements has two numbers.
  CHECK(reshape({constant(3, {6, 1}), constant(4, {1}), list({3, 4}, kPair)}).input("ShapeTensor") ==
        Names{"full_int_array_3", "full_int_array_4"});
  // A list of one tensor with all sizes is that tensor; of one size, it is a list of sizes.
  CHECK(reshape({data("a", 3, kPair), list({3}, kPair)}).input("Shape") == Names{"a"});
  CHECK(reshape({data("a", 3, kScalar), list({3}, kScalar)}).input("ShapeTensor") == Names{"a"});
  CHECK(reshape({data("a", 3, tensor({-1}, "0.t_i64")), list({3}, kPair)}).input("Shape") == Names{"a"});

  // Of 'split', Fluid has sections only as a tensor each.
  const auto split = [](const json& type) {
    const json parts = op("1.split", {1, 2, 3}, {{4, values_of_type({tensor()})}});
    return only(with_x({data("a", 2, type), constant(3, {0}), parts, op("0.split", {4}, {{9, tensor()}})}), "split");
  };
  CHECK(split(kScalar).input("SectionsTensorList") == Names{"a"});
  CHECK(split(kPair).refusal == "'sections' is computed at run time in a form that cannot be converted");
}

TEST_CASE("operands that have the dtype of an attribute") {
  const auto range = [](const List& attrs, const json& type = kScalar) {
    return with_x({data("a", 2, type), op("1.arange", {2, 2, 2}, {{9, tensor({-1}, "0.t_i64")}}, attrs)});
  };
  CHECK(only(range({attr("dtype", "1.a_dtype", "int64")}), "range").input("Start", 0) == "a");
  CHECK(only(range({}), "range").input("Start", 0) == "a");
  CHECK(only(range({attr("dtype", "0.a_str", "?")}), "range").input("Start", 0) == "a");
  const Program other = range({attr("dtype", "1.a_dtype", "int32")});
  CHECK(only(other, "range").input("Start", 0) == "a.int32");
  CHECK(other.find_variable(0, "a.int32")->dtype == Dtype::int32);
  expect_bad({data("x", 1), op("0.combine", {1}, {{2, values_of_type({tensor()})}}),
              op("1.arange", {2, 1, 1}, {{9, tensor({-1})}})},
             "block 0, op 2 'pd_op.arange'", "operand 'start' is a list, expected one value");
}

TEST_CASE("results instead of lists") {
  const json list = values_of_type({tensor(), tensor()});
  const auto check = [&](const json& result) {
    return List{data("x", 1),
                data("s", 2, tensor({1})),
                op("1.tanh", {1}, {{3, tensor()}}),
                op("0.combine", {3, 1}, {{4, list}}),
                op("1.check_finite_and_unscale_", {4, 2}, {{5, result}, {6, tensor({1}, "0.t_bool")}}),
                op("0.split", {5}, {{9, tensor()}, {10, tensor()}}),
                fetch(9)};
  };
  const Program program = read(check(list));
  CHECK(only(program, "check_finite_and_unscale").output("Out") == Names{"tanh_3", "x"});
  CHECK(only(program, "assign").input("X", 0) == "tanh_3");
  expect_bad(check(tensor()), "block 0, op 4 'pd_op.check_finite_and_unscale_'",
             "result 0 overwrites an operand, but only one of them is a list");
}

TEST_CASE("results instead of operands that are missing are values of their own") {
  const List attrs{attr("shape", "0.a_array", ints({1})), attr("dtype", "1.a_dtype", "int64"),
                   attr("values", "0.a_array", ints({6}))};
  for (const Ints& operands : {Ints{}, Ints{0}}) {
    const Program program = with_x({op("1.assign_value_", operands, {{9, tensor({1}, "0.t_i64")}}, attrs)});
    CHECK(only(program, "assign_value").output("Out") == Names{"assign_value_9"});
  }
}

TEST_CASE("operands and results that are absent") {
  json relu = op("1.relu", {1}, {});
  relu["O"] = List{json{{"%", 0}}};
  CHECK(only(read({data("x", 1), relu, fetch(1)}), "relu").outputs.empty());
  json mine = op("3.mine", {1}, {});
  mine["O"] = List{json{{"%", 0}}, json{{"%", 9}, {"TT", tensor()}}};
  const Program custom = with_x({mine});
  CHECK(only(custom, "mine").output("out0").empty());
  CHECK(only(custom, "mine").output("out1") == Names{"mine_9"});
  json unknown = op("1.mine", {0, 1}, {});
  unknown["O"] = mine["O"];
  const Program program = with_x({unknown});
  CHECK(only(program, "pd_op.mine").input("X") == Names{"x"});
  CHECK(only(program, "pd_op.mine").output("Out") == Names{"mine_9"});
  expect_bad({data("x", 1), op("3.mine", {1}, {{2, values_of_type({values_of_type({tensor()})})}})},
             "block 0, op 1 'custom_op.mine'", "a result is a list of lists");
}

}  // namespace fluid2onnx::test::pir
