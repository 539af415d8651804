// Types and attributes in files of Paddle 3. An operator of the user keeps all of its attributes.
#include "runtime/paddle/read/pir_types.h"

#include <cmath>
#include <complex>
#include <nlohmann/json.hpp>
#include <optional>

#include "tests/runtime/paddle/read/pir_programs.h"

namespace fluid2onnx::test::pir {
namespace {

List with_attribute(const json& typed) {
  return {data("x", 1), op("3.mine", {1}, {{2, tensor()}}, {json{{"N", "a"}, {"AT", typed}}}), fetch(2)};
}

/// Nothing if the reader drops the attribute.
std::optional<AttributeValue> attribute_read(const json& typed) {
  const Program program = read(with_attribute(typed));
  const Attribute* attr = only(program, "mine").attr("a");
  return attr ? std::optional(attr->value) : std::nullopt;
}

json typed(const char* kind, const json& value) { return {{"#", kind}, {"D", value}}; }
json list_of(const List& items) { return typed("0.a_array", items); }

}  // namespace

TEST_CASE("kinds of values") {
  const auto variable = [](const json& type) { return *read({data("x", 1, type), fetch(1)}).find_variable(0, "x"); };
  CHECK(variable(tensor()).kind == VariableKind::tensor);
  json array = tensor({-1, 3});
  array["#"] = "0.t_dense_tensor_array";
  CHECK(variable(array).kind == VariableKind::tensor_array);
  CHECK(variable(array).dims == Shape{-1, 3});
  CHECK(variable(typed("0.t_selected_rows", List{})).kind == VariableKind::selected_rows);
  CHECK(variable(typed("0.t_sparse_coo_tensor", List{})).kind == VariableKind::sparse);
  CHECK(variable({{"#", "0.t_f32"}}).kind == VariableKind::other);
  CHECK(variable(tensor({2}, "0.t_nothing")).dtype == Dtype::undefined);
  CHECK(variable(tensor({-7, 2})).dims == Shape{-1, 2});
}

TEST_CASE("types of another form") {
  const auto expect_type = [](const json& type, const std::string& message) {
    CAPTURE(type.dump());
    expect_bad({data("x", 1, type)}, "block 0, op 0 'pd_op.data'", message);
  };
  const json element{{"#", "0.t_f32"}};
  expect_type(3, "expected an object, not number");
  expect_type(json::object(), "member '#' is missing");
  expect_type({{"#", 3}}, "expected a string, not number");
  expect_type({{"#", "0.t_dtensor"}}, "member 'D' is missing");
  expect_type(typed("0.t_dtensor", 3), "a tensor's type is number, expected an array");
  expect_type(typed("0.t_dtensor", List{element}), "a tensor's type without element type and dims");
  expect_type(typed("0.t_dtensor", List{element, "x"}), "the dims of a type is string, expected an array");
  expect_type(typed("0.t_dtensor", List{element, List{"x"}}), "expected an integer, not string");
  expect_type(typed("0.t_vec", 3), "a list's type is number, expected an array");
  expect_type(typed("0.t_vec", List{3}), "expected an object, not number");
}

TEST_CASE("each kind of attribute of Paddle 3") {
  CHECK(attribute_read(typed("0.a_bool", true)) == AttributeValue(true));
  CHECK(attribute_read(typed("0.a_bool", 0)) == AttributeValue(false));
  CHECK(attribute_read(typed("0.a_bool", 1)) == AttributeValue(true));
  CHECK(attribute_read(typed("0.a_i64", -5)) == AttributeValue(int64_t{-5}));
  CHECK(attribute_read(typed("0.a_i64", 5.0)) == AttributeValue(int64_t{5}));
  CHECK(attribute_read(typed("0.a_f64", 0.1)) == AttributeValue(0.1));
  CHECK(attribute_read({{"#", "0.a_f64"}, {"VD", "INF"}}) == AttributeValue(HUGE_VAL));
  CHECK(attribute_read({{"#", "0.a_f64"}, {"VD", "-INF"}}) == AttributeValue(-HUGE_VAL));
  CHECK(attribute_read(typed("0.a_c64", List{1.5, -2})) == AttributeValue(std::complex<double>(1.5, -2)));
  CHECK(attribute_read(typed("0.a_str", "text")) == AttributeValue(std::string("text")));
  CHECK(attribute_read(typed("1.a_intarray", List{3, -1})) == AttributeValue(std::vector<int64_t>{3, -1}));
  CHECK(attribute_read(typed("1.a_scalar", List{"bool", true})) == AttributeValue(true));
  CHECK(attribute_read(typed("1.a_scalar", List{"int32", 3})) == AttributeValue(int64_t{3}));
  CHECK(attribute_read(typed("1.a_scalar", List{"float32", 0.5})) == AttributeValue(0.5));
  CHECK_FALSE(attribute_read(typed("1.a_place", List{0, 0, ""})));
  // Paddle's numbers of dtypes, as Fluid has them: -1 for none.
  CHECK(attribute_read(typed("1.a_dtype", "float64")) == AttributeValue(int64_t{6}));
  for (const char* none : {"", "undefined", "Undefined(0)"}) {
    CHECK(attribute_read(typed("1.a_dtype", none)) == AttributeValue(int64_t{-1}));
  }
}

TEST_CASE("a list has the kind of its items") {
  const json one = typed("0.a_i32", 1), half = typed("0.a_f32", 0.5), yes = typed("0.a_bool", true),
             text = typed("0.a_str", "t"), both = typed("0.a_c64", List{1, 2});
  CHECK(attribute_read(list_of({one, one})) == AttributeValue(std::vector<int64_t>{1, 1}));
  CHECK(attribute_read(list_of({half, half})) == AttributeValue(std::vector<double>{0.5, 0.5}));
  CHECK(attribute_read(list_of({yes, yes})) == AttributeValue(std::vector<bool>{true, true}));
  CHECK(attribute_read(list_of({text, text})) == AttributeValue(std::vector<std::string>{"t", "t"}));
  CHECK(attribute_read(list_of({yes, one, half, both})) ==
        AttributeValue(std::vector<Number>{true, int64_t{1}, 0.5, std::complex<double>(1, 2)}));
  CHECK(attribute_read(list_of({})) == AttributeValue(std::vector<int64_t>{}));
  CHECK_FALSE(attribute_read(list_of({one, text})));
  CHECK_FALSE(attribute_read(list_of({list_of({one})})));
  CHECK_FALSE(attribute_read(list_of({one, typed("0.a_type", "x")})));
}

TEST_CASE("attributes of another form") {
  const auto expect_attribute = [](const json& typed, const std::string& message) {
    CAPTURE(typed.dump());
    expect_bad(with_attribute(typed), "block 0, op 1 'custom_op.mine'", "attribute 'a': " + message);
  };
  expect_attribute(3, "expected an object, not number");
  expect_attribute({{"#", "0.a_i32"}}, "member 'D' is missing");
  expect_attribute(typed("0.a_i32", nullptr), "expected an integer, not null");
  expect_attribute(typed("0.a_i32", 1e30), "expected an integer, not 1e+30");
  expect_attribute(typed("0.a_bool", "x"), "expected an integer, not string");
  expect_attribute(typed("0.a_f32", "x"), "expected a number, not string");
  expect_attribute({{"#", "0.a_f32"}, {"VD", 3}}, "expected a string, not number");
  expect_attribute(typed("0.a_str", 3), "expected a string, not number");
  expect_attribute(typed("0.a_c64", 3), "a complex number is number, expected an array");
  for (const List& parts : {List{1}, List{"x", 1}, List{1, "x"}, List{1, 2, 3}}) {
    expect_attribute(typed("0.a_c64", parts), "expected real and imaginary part of a complex number");
  }
  expect_attribute(typed("1.a_dtype", "float99"), "a dtype called 'float99'");
  expect_attribute(typed("1.a_scalar", List{"float32"}), "expected the dtype and value of a scalar");
  expect_attribute(typed("1.a_scalar", List{"float32", "x"}), "expected a number, not string");
  expect_attribute(typed("1.a_intarray", 3), "a list of integers is number, expected an array");
  expect_attribute(typed("1.a_intarray", List{1, "x"}), "expected an integer, not string");
  expect_attribute(typed("0.a_array", 3), "a list of attributes is number, expected an array");
  expect_attribute(list_of({3}), "expected an object, not number");
}

TEST_CASE("names of operators with and without a dialect") {
  const auto type = [](const char* name) {
    return read({data("x", 1), op(name, {1}, {{2, tensor()}}), fetch(2)}).main().ops.front().type;
  };
  CHECK(type("0.mine") == "builtin.mine");
  CHECK(type("7.mine") == "7.mine");
  for (const char* name : {"1", "relu", ""}) {
    expect_bad({data("x", 1), op(name, {1}, {{2, tensor()}}), fetch(2)}, "block 0, op 1",
               "the name '" + std::string(name) + "' has no dialect");
  }
}

}  // namespace fluid2onnx::test::pir
