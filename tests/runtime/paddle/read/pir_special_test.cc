// Ports, lists and constants of Paddle 3.
#include <complex>
#include <limits>
#include <nlohmann/json.hpp>

#include "tests/runtime/paddle/read/pir_programs.h"

namespace fluid2onnx::test::pir {
namespace {

json list_type(const List& elements) { return {{"#", "0.t_vec"}, {"D", elements}}; }

/// A `full` of one element, as value 2.
json full(const json& value, const char* dtype, const json& type = tensor({1}, "0.t_i64")) {
  return op(
      "1.full", {}, {{2, type}},
      {attr("shape", "1.a_intarray", List{1}), json{{"N", "value"}, {"AT", value}}, attr("dtype", "1.a_dtype", dtype)});
}

json int64_attr(std::int64_t value) { return {{"#", "0.a_i64"}, {"D", value}}; }

/// An operator with a branch that holds `inner`.
json in_a_branch(const json& inner) {
  json branch = op("1.if", {1}, {});
  branch["regions"] = List{region({inner, op("2.yield", {}, {})}), region({op("2.yield", {}, {})})};
  return branch;
}

}  // namespace

TEST_CASE("inputs of another form") {
  const std::string place = "block 0, op 0 'pd_op.data'";
  expect_bad({op("1.data", {}, {{1, tensor()}, {2, tensor()}}, {attr("name", "0.a_str", "x")})}, place,
             "expected one result");
  expect_bad({op("1.data", {}, {{1, tensor()}})}, place, "an input without a name");
  expect_bad({op("1.data", {}, {{1, tensor()}}, {attr("name", "0.a_i32", 3)})}, place, "an input without a name");
  expect_bad({data("c", 1), in_a_branch(data("x", 2))}, "block 1, op 0 'pd_op.data'",
             "expected in the main block only");
  json weight{{"#", "p"}, {"O", {{"%", 2}, {"TT", tensor()}}}, {"A", List{0, 0, 1, "x"}}};
  expect_bad({data("x", 1), weight}, "block 0, op 1 'builtin.parameter'", "two values have the name 'x'");
}

TEST_CASE("an output has the first name that the file has for it") {
  const auto output = [](const List& attrs) {
    return read({data("x", 1), op("1.tanh", {1}, {{2, tensor()}}), op("1.fetch", {2}, {{3, tensor()}}, attrs)})
        .outputs.front()
        .name;
  };
  CHECK(output({attr("name", "0.a_str", "y")}) == "y");
  CHECK(output({attr("output_name", "0.a_str", "z")}) == "z");
  CHECK(output({}) == "tanh_2_1");
  expect_bad({data("c", 1), in_a_branch(fetch(1))}, "block 1, op 0 'pd_op.fetch'", "expected in the main block only");
  expect_bad({data("c", 1), op("1.fetch", {}, {})}, "block 0, op 1 'pd_op.fetch'", "operand 0 is missing");
}

TEST_CASE("lists are taken apart") {
  const json pair = op("0.combine", {1, 3}, {{4, list_type({tensor(), tensor()})}});
  const auto with = [&](const json& taken, std::int64_t result) {
    return List{data("x", 1), data("y", 3), pair, taken, op("1.tanh", {result}, {{9, tensor()}}), fetch(9, "z")};
  };
  CHECK(only(read(with(op("0.split", {4}, {{5, tensor()}, {6, tensor()}}), 6)), "tanh").input("X", 0) == "y");
  const auto slice = [](const json& index) {
    return op("0.slice", {4}, {{5, tensor()}}, {attr("index", "0.a_i32", index)});
  };
  CHECK(only(read(with(slice(1), 5)), "tanh").input("X", 0) == "y");
  for (const int index : {-1, 2}) {
    expect_bad(with(slice(index), 5), "block 0, op 3 'builtin.slice'", "expected an element of a list");
  }
  for (const json& taken :
       {op("0.slice", {4}, {{5, tensor()}}), op("0.slice", {1}, {{5, tensor()}}, {attr("index", "0.a_i32", 0)}),
        op("0.slice", {4}, {{5, tensor()}, {6, tensor()}}, {attr("index", "0.a_i32", 0)})}) {
    expect_bad(with(taken, 5), "block 0, op 3 'builtin.slice'", "expected an element of a list");
  }
  for (const Ints& operands : {Ints{1}, Ints{4}}) {
    expect_bad(with(op("0.split", operands, {{5, tensor()}, {6, tensor()}, {7, tensor()}}), 5),
               "block 0, op 3 'builtin.split'", "expected a list of 3 values");
  }
  expect_bad({data("x", 1), op("0.combine", {1}, {})}, "block 0, op 1 'builtin.combine'", "expected one result");
  expect_bad({data("x", 1), data("y", 3), pair, op("0.combine", {4}, {{5, tensor()}})},
             "block 0, op 3 'builtin.combine'", "operand 0 is a list, expected one value");
}

TEST_CASE("an element that nothing reads may be missing") {
  const json pair = op("0.combine", {0, 1}, {{4, list_type({tensor(), tensor()})}});
  json split = op("0.split", {4}, {});
  split["O"] = List{json{{"%", 0}}, json{{"%", 6}, {"TT", tensor()}}};
  const Program program = read({data("x", 1), pair, split, op("1.tanh", {6}, {{7, tensor()}}), fetch(7)});
  CHECK(only(program, "tanh").input("X", 0) == "x");
}

TEST_CASE("arrays of tensors") {
  json array = tensor();
  array["#"] = "0.t_dense_tensor_array";
  const Program program =
      read({op("1.create_array", {}, {{1, array}}), op("1.assign_array", {1}, {{2, array}}), fetch(2)});
  CHECK(program.main().ops.front().input("X", 0) == "create_array_1");
  CHECK(program.find_variable(0, "assign_array_2")->kind == VariableKind::tensor_array);
  expect_bad({op("1.create_array", {}, {})}, "block 0, op 0 'pd_op.create_array'", "expected one result");
  expect_bad({data("x", 1), op("1.assign_array", {1}, {})}, "block 0, op 1 'pd_op.assign_array'",
             "expected one result");
}

TEST_CASE("a filled tensor is a constant if its number and its size are known") {
  // Read as the axis of a concat, which Fluid has as an attribute and as an operand.
  const auto concat = [](const json& constant) {
    return only(read({data("x", 1), constant, op("0.combine", {1}, {{3, list_type({tensor()})}}),
                      op("1.concat", {3, 2}, {{4, tensor()}}), fetch(4)}),
                "concat");
  };
  const auto value = [&](const json& constant) { return concat(constant).attr("axis")->value; };
  CHECK(value(full(int64_attr(1), "int64")) == AttributeValue(Ints{1}));
  CHECK(value(full({{"#", "0.a_f64"}, {"D", 1.75}}, "int32")) == AttributeValue(Ints{1}));
  CHECK(value(full(int64_attr(3), "bool")) == AttributeValue(std::vector<bool>{true}));
  CHECK(value(full(int64_attr(0), "bool")) == AttributeValue(std::vector<bool>{false}));
  CHECK(value(full(int64_attr(3), "float32")) == AttributeValue(std::vector<double>{3}));
  const std::int64_t large = (std::int64_t{1} << 53) + 1;
  CHECK(value(full(int64_attr(-large), "int64")) == AttributeValue(Ints{-large}));

  const auto is_operand = [&](const json& constant) {
    const Op read = concat(constant);
    return !read.attr("axis") && read.input("AxisTensor", 0) == "full_2";
  };
  const json one = int64_attr(1);
  CHECK(is_operand(full({{"#", "0.a_f64"}, {"VD", "NaN"}}, "int64")));
  CHECK(is_operand(full({{"#", "0.a_f64"}, {"D", 1e30}}, "int64")));
  CHECK(is_operand(full({{"#", "0.a_c64"}, {"D", List{1, 2}}}, "complex64")));
  CHECK(is_operand(full(one, "int64", tensor({-1}, "0.t_i64"))));
  CHECK(is_operand(full(one, "int64", tensor({4097}, "0.t_i64"))));
  CHECK(is_operand(full(one, "int64", tensor({100, 100}, "0.t_i64"))));
  CHECK(is_operand(full(one, "int64", tensor({1, 1}, "0.t_i64"))));
  CHECK(is_operand(full(int64_attr(large), "int64", tensor({-1}, "0.t_i64"))));
  CHECK(value(full(int64_attr(large), "int64", tensor({0}, "0.t_i64"))) == AttributeValue(Ints{}));
}

TEST_CASE("filled tensors of another form") {
  const std::string place = "block 0, op 0 'pd_op.full'", message = "expected a number, a dtype and one result";
  json constant = full(int64_attr(1), "int64");
  for (const int without : {1, 2}) {
    json less = constant;
    less["A"].erase(without);
    expect_bad({less}, place, message);
  }
  constant["O"] = List{};
  expect_bad({constant}, place, message);
  const auto integers = [](const List& attrs, const std::map<std::int64_t, json>& results) {
    return List{op("1.full_int_array", {}, results, attrs)};
  };
  const json type = tensor({1}, "0.t_i64");
  const std::string where = "block 0, op 0 'pd_op.full_int_array'", wanted = "expected integers and one result";
  expect_bad(integers({}, {{1, type}}), where, wanted);
  expect_bad(integers({attr("value", "0.a_str", "x")}, {{1, type}}), where, wanted);
  expect_bad(integers({attr("value", "0.a_array", ints({1}))}, {{1, type}, {2, type}}), where, wanted);
  expect_bad(integers({attr("value", "0.a_array", ints({1}))}, {{1, list_type({type})}}), where,
             "the result is a list, expected single values");
  CHECK(only(read({integers({attr("value", "0.a_array", ints({5}))}, {{1, type}}).front(), fetch(1)}), "assign_value")
            .get_ints("int64_values") == Ints{5});
}

TEST_CASE("assigned values of another form") {
  const auto assign = [](const json& kind, const json& values, const char* dtype) {
    return op("1.assign_value", {}, {{1, tensor({1}, "0.t_i64")}},
              {attr("shape", "0.a_array", ints({1})), json{{"N", "values"}, {"AT", {{"#", kind}, {"D", values}}}},
               attr("dtype", "1.a_dtype", dtype)});
  };
  const std::string place = "block 0, op 0 'pd_op.assign_value'";
  for (const char* dtype : {"int64", "float32", "complex64"}) {
    expect_bad({assign("0.a_str", "x", dtype)}, place, "attribute 'values' is a string, expected numbers");
  }
  json less = assign("0.a_array", ints({1}), "int64");
  less["A"].erase(1);
  expect_bad({less}, place, "expected values, a dtype and one result");
  less = assign("0.a_array", ints({1}), "int64");
  less["A"].erase(2);
  expect_bad({less}, place, "expected values, a dtype and one result");
  less = assign("0.a_array", ints({1}), "int64");
  less["O"] = List{};
  expect_bad({less}, place, "expected values, a dtype and one result");

  // Values of unknown shape are no constants.
  json open = assign("0.a_array", ints({5}), "int64");
  open["O"][0]["TT"] = tensor({-1}, "0.t_i64");
  const json reshaped = op("1.reshape", {2, 1}, {{3, tensor()}});
  CHECK(only(read({data("x", 2), open, reshaped, fetch(3)}), "reshape2").input("Shape") == Names{"assign_value_1"});
  const json typeless = op("1.full_int_array", {}, {{1, {{"#", "0.t_f32"}}}}, {attr("value", "0.a_array", ints({6}))});
  CHECK(only(read({data("x", 2), typeless, reshaped, fetch(3)}), "reshape2").input("Shape") ==
        Names{"full_int_array_1"});

  // Complex numbers are real and imaginary parts, and no constants.
  for (const char* dtype : {"complex64", "complex128"}) {
    const bool wide = std::string(dtype) == "complex128";
    const json value{{"#", wide ? "0.a_c128" : "0.a_c64"}, {"D", List{1.5, -2}}};
    const Program program = read({assign("0.a_array", List{value}, dtype), fetch(1)});
    CHECK(only(program, "assign_value").get_floats(wide ? "fp64_values" : "fp32_values") ==
          std::vector<double>{1.5, -2});
  }
}

TEST_CASE("constants that nothing can read are no constants") {
  json unread = full(int64_attr(1), "int64");
  unread["O"] = List{json{{"%", 0}}};
  CHECK(only(read({data("x", 1), unread, fetch(1)}), "fill_constant").outputs.empty());
}

TEST_CASE("sizes that are stacked are known one by one") {
  const json scalar = tensor({}, "0.t_i64"), both = tensor({2}, "0.t_i64");
  const json list = op("0.combine", {2, 3}, {{4, list_type({scalar, scalar})}});
  const auto reshape = [&](const json& stacked, const json& type, const List& more = {}) {
    List ops{data("x", 1), data("a", 2, type), data("b", 3, scalar), list, stacked};
    ops.insert(ops.end(), more.begin(), more.end());
    ops.push_back(op("1.reshape", {1, 5}, {{6, tensor()}}));
    ops.push_back(fetch(6));
    return only(read(ops), "reshape2");
  };
  const List axis{attr("axis", "0.a_i32", 0)};
  const json stack = op("1.stack", {4}, {{5, both}}, axis);
  CHECK(reshape(stack, scalar).input("ShapeTensor") == Names{"a", "b"});
  const auto is_one = [&](const Op& op) {
    return op.input("Shape") == Names{"stack_5"} && op.input("ShapeTensor").empty();
  };
  CHECK(is_one(reshape(op("1.stack", {4}, {{5, both}}), scalar)));
  CHECK(is_one(reshape(op("1.stack", {4}, {{5, both}}, {attr("axis", "0.a_i32", 1)}), scalar)));
  CHECK(is_one(reshape(op("1.stack", {2}, {{5, both}}, axis), scalar)));
  CHECK(is_one(reshape(stack, tensor({1}, "0.t_i64"))));
  // Written after they were stacked.
  CHECK(is_one(reshape(stack, scalar, {op("1.relu_", {2}, {{7, scalar}})})));
  CHECK(is_one(reshape(stack, scalar, {op("1.relu_", {5}, {{7, both}})})));
  const json nothing = op("0.combine", {}, {{8, list_type({})}});
  const auto stacked = [&](const json& combined, const json& made) {
    return only(read({data("a", 2, scalar), combined, made, op("1.tanh", {5}, {{6, both}}), fetch(6)}), "stack");
  };
  CHECK(stacked(nothing, op("1.stack", {8}, {{5, both}}, axis)).input("X").empty());
  CHECK(stacked(op("0.combine", {2}, {{4, list_type({scalar})}}), op("1.stack", {4}, {{5, both}, {9, both}}, axis))
            .refusal == "'pd_op.stack' has more operands or results than in Paddle 3.3");
  json unread = stack;
  unread["O"] = List{json{{"%", 0}}};
  CHECK(only(read({data("a", 2, scalar), data("b", 3, scalar), list, unread, fetch(2)}), "stack").input("X") ==
        Names{"a", "b"});
  expect_bad({op("1.stack", {}, {{5, both}}, axis)}, "block 0, op 0 'pd_op.stack'", "operand 0 is missing");
}

}  // namespace fluid2onnx::test::pir
