// Programs of Paddle 3 (PIR JSON).
#include <algorithm>
#include <nlohmann/json.hpp>

#include "runtime/paddle/program/uses.h"
#include "runtime/paddle/read/find_files.h"
#include "runtime/paddle/read/open_model.h"
#include "tests/runtime/paddle/read/pir_programs.h"
#include "tests/runtime/paddle/read/sample_programs.h"

namespace fluid2onnx::test::pir {
namespace {

TEST_CASE("every sample of Paddle 3 opens") {
  for (const char* name :
       {"jit", "json_separate", "json_untrainable", "lstm", "cond_branch", "nested_control", "while_swap",
        "tensor_array", "array_elements", "tensor_shape_args", "set_item", "param_dtypes", "zero_dim"}) {
    CAPTURE(name);
    const Program program = open_model(sample(std::string("pir/") + name));
    CHECK(program.format == ProgramFormat::pir_json);
    CHECK_FALSE(program.inputs.empty());
    CHECK_FALSE(program.outputs.empty());
    for (const Block& block : program.blocks) {
      for (const Op& one : block.ops) {
        CHECK_MESSAGE(one.refusal.empty(), one.place());
        for (const std::string& variable : names_read(program, one)) {
          CHECK_MESSAGE(program.find_variable(block.index, variable), variable);
        }
      }
    }
  }
}

TEST_CASE("a layer saved by Paddle 3") {
  const Program program = open_model(sample("pir/jit/model"));
  REQUIRE(program.inputs.size() == 2);
  CHECK(program.inputs[0].name == "image");
  CHECK(program.find_variable(0, "image")->dims == Shape{-1, 2, 8, 8});
  CHECK(program.find_variable(0, "ids")->dtype == Dtype::int64);
  REQUIRE(program.outputs.size() == 2);
  CHECK(program.outputs[0].name == "fetch_name_0");
  const Parameter* weight = program.find_parameter("conv2d_0.w_0");
  REQUIRE(weight);
  CHECK(weight->dims == Shape{4, 2, 3, 3});

  const Op& conv = only(program, "conv2d");
  CHECK(conv.input("Input", 0) == "image");
  CHECK(conv.input("Filter", 0) == "conv2d_0.w_0");
  CHECK(conv.get_ints("strides") == Ints{1, 1});
  CHECK(conv.get_string("data_format") == "NCHW");
  const Op& pool = only(program, "pool2d");
  CHECK(pool.get_ints("ksize") == Ints{1, 1});  // an operand in the file
  CHECK(only(program, "lookup_table_v2").input("W", 0).starts_with("embedding"));
}

TEST_CASE("parameters in files of their own, and files that say nothing of them") {
  CHECK(open_model(sample("pir/json_separate")).parameters.size() == 2);
  CHECK(find_model_file(sample("pir/json_separate")) == sample("pir/json_separate/__model__.json"));
  CHECK(open_model(sample("pir/json_untrainable")).parameters.size() == 2);
  // A parameter that is not on disk: the state of a dropout.
  const Program lstm = open_model(sample("pir/lstm"));
  for (const auto& [name, parameter] : lstm.parameters) CHECK_FALSE(name.ends_with("__non_persistable"));
  CHECK(only(lstm, "rnn").input("WeightList").size() == 8);
}

TEST_CASE("constants become attributes where Fluid has attributes, and are removed if unused") {
  const json shape = op("1.full_int_array", {}, {{2, tensor({2}, "0.t_i64")}},
                        {attr("value", "0.a_array", ints({3, -1})), attr("dtype", "1.a_dtype", "int64")});
  const Program program = read({data("x", 1), shape, op("1.reshape", {1, 2}, {{3, tensor({3, 2})}}), fetch(3)});
  CHECK(only(program, "reshape2").get_ints("shape") == Ints{3, -1});
  CHECK(program.main().ops.size() == 2);

  const auto number = [](std::int64_t id, double value) {
    return op("1.full", {}, {{id, tensor({1}, "0.t_f64")}},
              {attr("shape", "1.a_intarray", List{1}), attr("value", "0.a_f64", value),
               attr("dtype", "1.a_dtype", "float64")});
  };
  const Program close = read(
      {data("x", 1), number(2, 1e-5), number(3, 0.25), op("1.allclose", {1, 1, 2, 3}, {{4, tensor({})}}), fetch(4)});
  CHECK(only(close, "allclose").get_string("atol") == "0.25");  // in Fluid, a text

  // One that is written again is none.
  const json set = op("1.assign_value_", {2}, {{4, tensor({2}, "0.t_i64")}},
                      {attr("shape", "0.a_array", ints({2})), attr("dtype", "1.a_dtype", "int64"),
                       attr("values", "0.a_array", ints({6, 1}))});
  const Program again = read({data("x", 1), shape, set, op("1.reshape", {1, 4}, {{3, tensor({6, 1})}}),
                              op("1.reshape", {1, 2}, {{5, tensor({6, 1})}}), fetch(3), fetch(5, "z", 1)});
  CHECK(again.main().ops[2].get_ints("shape") == Ints{6, 1});
  CHECK(again.main().ops[3].input("Shape") == Names{"full_int_array_2"});
}

TEST_CASE("a constant that float64 does not hold is exact") {
  const std::int64_t large = (std::int64_t{1} << 53) + 1;
  const json number = op(
      "1.full", {}, {{2, tensor({2}, "0.t_i64")}},
      {attr("shape", "1.a_intarray", List{2}), attr("value", "0.a_i64", large), attr("dtype", "1.a_dtype", "int64")});
  const Program program = read({number, fetch(2)});
  CHECK(only(program, "assign_value").get_ints("int64_values") == Ints{large, large});
  CHECK(only(program, "assign_value").get_ints("shape") == Ints{2});
}

TEST_CASE("shapes computed at run time: one tensor, a tensor for each size, or constants among them") {
  const Program program = open_model(sample("pir/tensor_shape_args"));
  CHECK(only(program, "reshape2").input("ShapeTensor") == Names{"slice_5", "full_6"});  // stacked in the file
  const json sizes = op("0.combine", {2, 3}, {{4, {{"#", "0.t_vec"}, {"D", List{tensor({}), tensor({})}}}}});
  const Program list = read({data("x", 1), data("a", 2, tensor({}, "0.t_i64")), data("b", 3, tensor({}, "0.t_i64")),
                             sizes, op("1.reshape", {1, 4}, {{5, tensor()}}), fetch(5)});
  CHECK(only(list, "reshape2").input("ShapeTensor") == Names{"a", "b"});
}

TEST_CASE("results in place are the operand's variable") {
  const Program program = read({data("x", 1), op("1.tanh", {1}, {{2, tensor()}}), op("1.relu_", {2}, {{3, tensor()}}),
                                op("1.add", {2, 3}, {{4, tensor()}}), fetch(4)});
  CHECK(only(program, "relu").output("Out") == Names{"tanh_2"});
  CHECK(only(program, "elementwise_add").input("X") == Names{"tanh_2"});
  CHECK(only(program, "elementwise_add").input("Y") == Names{"tanh_2"});
}

TEST_CASE("outputs have the names and the order that the file gives them") {
  const Program program = read({data("x", 1), op("1.tanh", {1}, {{2, tensor()}}), fetch(2, "b", 1), fetch(1, "x", 0)});
  REQUIRE(program.outputs.size() == 2);
  CHECK(program.outputs[0].name == "x_1");  // not the input's
  CHECK(program.outputs[1].name == "b");
  CHECK(only(read({data("x", 1), op("1.arange", {1, 1, 1}, {{2, tensor({-1})}}, {attr("dtype", "1.a_dtype", "int64")}),
                   fetch(2)}),
             "range")
            .input("Start", 0)
            .starts_with("x.int64"));
}

TEST_CASE("numbers of every kind") {
  const auto value_of = [](const json& value) {
    const Program program =
        read({data("x", 1), op("1.leaky_relu", {1}, {{2, tensor()}}, {json{{"N", "negative_slope"}, {"AT", value}}}),
              fetch(2)});
    return only(program, "leaky_relu").get_float("alpha");
  };
  CHECK(value_of({{"#", "0.a_f32"}, {"D", 0.5}}) == 0.5);
  CHECK(value_of({{"#", "0.a_i32"}, {"D", 2}}) == 2.0);
  CHECK(value_of({{"#", "1.a_scalar"}, {"D", List{"float32", 0.25}}}) == 0.25);
  CHECK(*value_of({{"#", "0.a_f64"}, {"VD", "-INF"}}) < -1e308);
  CHECK(value_of({{"#", "0.a_f64"}, {"VD", "NaN"}}) != value_of({{"#", "0.a_f64"}, {"VD", "NAN"}}));
  CHECK(error_of([&] {
          value_of({{"#", "0.a_f64"}, {"VD", "x"}});
        }).message() == "attribute 'negative_slope': a number called 'x'");
}

TEST_CASE("both sides of an if, and the choice between their results") {
  const Program program = open_model(sample("pir/cond_branch"));
  CHECK(program.blocks.size() == 3);
  std::vector<const Op*> conditionals, choices;
  for (const Op& one : program.main().ops) {
    if (one.type == "conditional_block") conditionals.push_back(&one);
    if (one.type == "select_input") choices.push_back(&one);
  }
  REQUIRE(conditionals.size() == 2);
  REQUIRE(choices.size() == 2);
  CHECK(conditionals[1]->input("Cond", 0) == conditionals[0]->input("Cond", 0) + ".not");
  CHECK(choices[0]->input("X") == Names{conditionals[1]->output("Out", 0), conditionals[0]->output("Out", 0)});
}

TEST_CASE("what Paddle translated from the older format") {
  const Program branch = open_model(sample("pir/translated_branch"));
  CHECK(branch.inputs.size() == 1);
  for (const Op& one : branch.main().ops) {
    CHECK(one.type != "pd_op.select_input");
    if (one.type == "select_input") CHECK(one.input("X").size() == 2);
  }
  // Its feeds are in the opposite order of their columns.
  const Program loop = open_model(sample("pir/translated_while"));
  Names names;
  for (const Input& input : loop.inputs) names.push_back(input.name);
  CHECK(names == Names{"x", "y", "n"});
}

TEST_CASE("a loop's variables get their next values at once") {
  const Program program = open_model(sample("pir/while_swap"));
  const Op& loop = only(program, "while");
  REQUIRE(loop.output("Out").size() == 4);  // three variables and the condition
  CHECK(loop.output("Out", 3) == loop.input("Condition", 0));
  // x, y = y, x: both are kept before one is written.
  Names written;
  for (const Op& one : program.blocks[1].ops) written.push_back(one.output(one.outputs.front().name, 0));
  const auto at = [&](const std::string& name) {
    return std::find(written.begin(), written.end(), name) - written.begin();
  };
  const std::string &x = loop.output("Out", 1), &y = loop.output("Out", 2);
  CHECK(at(x + ".before") < at(x));
  CHECK(at(y + ".before") < at(x));
  CHECK(at(x) < at(y));
}

TEST_CASE("arrays are carried by their variable") {
  const Program program = open_model(sample("pir/tensor_array"));
  const Op& write = only(program, "write_to_array", 1);
  const Variable* array = program.find_variable(0, write.output("Out", 0));
  REQUIRE(array);
  CHECK(array->kind == VariableKind::tensor_array);
  CHECK(only(program, "tensor_array_to_tensor").input("X") == write.output("Out"));
}

TEST_CASE("a popped element has the dims of the array") {
  const Program program = open_model(sample("pir/array_elements"));
  const Shape element{-1, 4};
  for (const size_t output : {4u, 5u}) {
    CHECK(program.main().find(program.outputs[output].value)->dims == element);
  }
}

TEST_CASE("an operator that Fluid cannot express is refused, not the file") {
  const Program hash =
      read({data("x", 1), op("1.hash", {1}, {{2, tensor()}}, {attr("runtime_shape", "0.a_bool", true)}), fetch(2)});
  CHECK(only(hash, "hash").refusal == "attribute 'runtime_shape' of 'pd_op.hash' cannot be converted");
  const Program attribute =
      read({data("x", 1), op("1.relu", {1}, {{2, tensor()}}, {attr("threshold", "0.a_i32", 3)}), fetch(2)});
  CHECK(only(attribute, "relu").refusal == "attribute 'threshold' of 'pd_op.relu' is unknown");
  const Program unknown = read({data("x", 1), op("1.mine", {1}, {{2, tensor()}}), fetch(2)});
  CHECK(only(unknown, "pd_op.mine").input("X") == Names{"x"});
}

TEST_CASE("operands of operators that users wrote are numbered, and their attributes kept") {
  const Program program = read(
      {data("x", 1), data("y", 2), op("3.mine", {2, 0, 1}, {{3, tensor()}}, {attr("alpha", "0.a_i32", 3)}), fetch(3)});
  const Op& mine = only(program, "mine");
  CHECK(mine.input("in0") == Names{"y"});
  CHECK(mine.input("in1").empty());
  CHECK(mine.input("in2") == Names{"x"});
  CHECK(mine.output("out0").size() == 1);
  CHECK(mine.get_int("alpha") == 3);
}

// --- files that Paddle would not write

TEST_CASE("values must be defined before they are used, where they can be seen, and once") {
  expect_bad({data("x", 1), op("1.relu", {7}, {{2, tensor()}}), fetch(2)}, "block 0, op 1 'pd_op.relu'",
             "operand 0 is value 7, which is not defined before");
  expect_bad({data("x", 1), op("1.relu", {2}, {{2, tensor()}}), fetch(2)}, "block 0, op 1 'pd_op.relu'",
             "operand 0 is value 2, which is not defined before");
  expect_bad({data("x", 1), op("1.relu", {1}, {{1, tensor()}})}, "block 0, op 1 'pd_op.relu'",
             "value 1 is defined twice");
  expect_bad({data("x", 1), data("x", 2)}, "block 0, op 1 'pd_op.data'", "two values have the name 'x'");
  expect_bad({data("", 1)}, "block 0, op 0 'pd_op.data'", "an input without a name");

  json branch = op("1.if", {1}, {{2, tensor()}});
  branch["regions"] =
      List{region({op("1.relu", {3}, {{4, tensor()}}), op("2.yield", {4}, {})}), region({op("2.yield", {4}, {})})};
  expect_bad({data("c", 1, tensor({}, "0.t_bool")), data("x", 3), branch, fetch(2)}, "block 2, op 0 'cf.yield'",
             "operand 0 is value 4, which is not defined before");
}

TEST_CASE("of an attribute that appears twice, the last one counts") {
  const List twice{attr("slope", "0.a_f32", 1), attr("slope", "0.a_f32", 2)};
  const Program program = read({data("x", 1), op("3.mine", {1}, {{2, tensor()}}, twice), fetch(2)});
  CHECK(only(program, "mine").get_float("slope") == 2);
}

TEST_CASE("lists stand where lists may stand") {
  const json list{{"#", "0.t_vec"}, {"D", json::array()}};
  expect_bad({data("x", 1), op("1.shape64", {1}, {{2, list}})}, "block 0, op 1 'pd_op.shape64'",
             "result 0 is a list, expected one value");
  expect_bad({data("x", 1), op("0.combine", {1, 0}, {{2, list}}), op("0.split", {2}, {{3, tensor()}, {4, tensor()}})},
             "block 0, op 2 'builtin.split'", "element 1 of the list is missing");
  json branch = op("1.if", {1}, {{2, list}});
  branch["regions"] = List{region({}), region({})};
  expect_bad({data("c", 1), branch}, "block 0, op 1 'pd_op.if'", "the result is a list, expected single values");
  json loop = op("1.while", {1, 1}, {{2, list}});
  loop["regions"] = List{region({op("2.yield", {1, 1}, {})})};
  loop["regions"][0]["blocks"][0]["args"] = List{{{"#", -1}, {"TT", tensor()}}};
  expect_bad({data("c", 1), loop}, "block 0, op 1 'pd_op.while'", "the result is a list, expected single values");
}

TEST_CASE("an unused constant") {
  CHECK_NOTHROW(read({data("x", 1),
                      op("1.full_int_array", {}, {{0, tensor({2}, "0.t_i64")}},
                         {attr("value", "0.a_array", ints({1, 2})), attr("dtype", "1.a_dtype", "int64")}),
                      fetch(1)}));
}

TEST_CASE("control flow must have the form that Paddle gives it") {
  json branch = op("1.if", {1}, {{2, tensor()}});
  expect_bad({data("c", 1), branch}, "block 0, op 1 'pd_op.if'", "expected two regions");
  branch["regions"] = List{region({}), region({})};
  expect_bad({data("c", 1), branch}, "block 1, op 1 'pd_op.if'", "region 0 does not end in a yield of 1 values");
  json loop = op("1.while", {1, 1}, {{2, tensor()}});
  loop["regions"] = List{region({op("2.yield", {1}, {})})};
  expect_bad({data("c", 1), loop}, "block 0, op 1 'pd_op.while'",
             "expected one region with an argument for each of 1 results");
}

TEST_CASE("JSON of another form") {
  const auto message = [](const std::string& text) { return error_of([&] { read_text(text); }).message(); };
  const std::string good = file({data("x", 1), fetch(1)}).dump();
  CHECK(message(R"({"base_code":{"magic":"pir"}})") == "member 'program' is missing");
  CHECK(message(R"({"base_code":{"magic":"pir"},"program":3})") == "expected an object, not number");
  CHECK(message(good.substr(0, good.size() - 1) + R"(,"program":{"regions":[]}})") ==
        "'program' comes twice, expected one program with one block");
  CHECK(message(R"({"base_code":{"magic":"pir"},"program":{"regions":[]}})") == "a program of 0 regions, expected 1");
  CHECK(message(R"({"base_code":{"magic":"pir"},"program":{"regions":[{"blocks":[]}]}})") ==
        "a region of 0 blocks, expected 1");
  CHECK(message(good + "x").starts_with("not JSON: "));
  expect_bad({json{{"#", 3}}}, "block 0, op 0", "expected a string, not number");
  expect_bad({json{{"#", "1.relu"}}}, "block 0, op 0 'pd_op.relu'", "member 'I' is missing");
  expect_bad({json{{"#", "1.relu"}, {"I", 1}}}, "block 0, op 0 'pd_op.relu'", "'I' is number, expected an array");
  expect_bad({json{{"#", "1.relu"}, {"I", List{{{"%", 1.5}}}}}}, "block 0, op 0 'pd_op.relu'",
             "expected an integer, not 1.5");
  expect_bad({json{{"#", "1.relu"}, {"I", List{{{"%", 18446744073709551615ull}}}}}}, "block 0, op 0 'pd_op.relu'",
             "the number 18446744073709551615 is too large");
  expect_bad({data("x", 1, {{"#", "0.t_dtensor"}, {"D", json::array()}})}, "block 0, op 0 'pd_op.data'",
             "a tensor's type without element type and dims");
  expect_bad({json{{"#", "p"}, {"O", {{"%", 1}, {"TT", tensor()}}}, {"A", json::array()}}}, "block 0, op 0 'p'",
             "a parameter without a name");
  CHECK(message(R"({"base_code":{"magic":"pir"},"a":1e999})").starts_with("not JSON: "));
}

TEST_CASE("a file that ends too early") {
  const std::string good = file({data("x", 1), fetch(1)}).dump();
  const Error error = error_of([&] { read_text(good.substr(0, good.size() - 3)); });
  CHECK(error.code() == E_TRUNCATED);
  CHECK(error.place().ends_with("m.json: byte " + std::to_string(good.size() - 3)));
}

TEST_CASE("nesting is limited") {
  const std::string start = R"({"base_code":{"magic":"pir"},"program":)";
  CHECK(error_of([&] { read_text(start + std::string(100000, '[')); }).message() ==
        "the JSON is nested more than 2000 levels deep");
  // As text: writing a deep tree as JSON takes more stack than there is, with sanitizers.
  const json hole = "@";
  const auto fill = [](const json& around, const std::string& inner) {
    std::string text = around.dump();
    return text.replace(text.find("\"@\""), 3, inner);
  };
  std::string block = op("1.tanh", {1}, {}).dump();
  for (int i = 0; i < 250; ++i) {
    json branch = op("1.if", {1}, {});
    branch["regions"] = List{region({hole, op("2.yield", {}, {})}), region({op("2.yield", {}, {})})};
    block = fill(branch, block);
  }
  const Error deep = error_of([&] { read_text(fill(file({data("c", 1), hole}), block)); });
  CHECK(deep.code() == E_BAD_PROGRAM);
  CHECK(deep.message() == "blocks are nested more than 200 deep");
  std::string type = tensor().dump();
  for (int i = 0; i < 300; ++i) type = fill({{"#", "0.t_vec"}, {"D", List{hole}}}, type);
  CHECK(error_of([&] { read_text(fill(file({data("x", 1, hole)}), type)); }).message() ==
        "types are nested too deeply");
}

}  // namespace
}  // namespace fluid2onnx::test::pir
