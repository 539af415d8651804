#include "runtime/paddle/write/pir_writer.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <string>

#include "runtime/paddle/program/make_op.h"
#include "runtime/support/error.h"
#include "tests/runtime/paddle/write/copy.h"
#include "tests/runtime/paddle/write/folder.h"

namespace fluid2onnx::test {
namespace {

namespace fs = std::filesystem;

/// Of one block, float32 variables [2, 3] but for those whose dims are given, input x and output `output`.
Program program_of(std::vector<Op> ops, const std::string& output, const std::map<std::string, Shape>& dims = {}) {
  Program program;
  Block block;
  const auto declare = [&](const std::string& name) {
    Variable& variable = block.variables[name];
    variable.dtype = Dtype::float32;
    const auto known = dims.find(name);
    variable.dims = known == dims.end() ? Shape{2, 3} : known->second;
  };
  declare("x");
  for (const Op& each : ops) {
    for (const Slot& slot : each.inputs)
      for (const std::string& name : slot.args) declare(name);
    for (const Slot& slot : each.outputs)
      for (const std::string& name : slot.args) declare(name);
  }
  block.ops = std::move(ops);
  program.blocks.push_back(std::move(block));
  program.inputs = {{"x"}};
  program.outputs = {{output, output}};
  return program;
}

Program written(const Program& program, const Folder& folder) {
  std::vector<Problem> problems;
  const std::string text = pir_json_of(program, &problems);
  CHECK(problems.empty());
  write_program_files(text, program, weights_of(program), folder.path("m.json"), folder.path("m.pdiparams"));
  return open_model(folder.path("m.json"));
}

std::vector<std::string> types_of(const Program& program) {
  std::vector<std::string> types;
  for (const Op& each : program.main().ops) types.push_back(each.type);
  return types;
}

TEST_CASE("operands, attributes and constants are as they were when the file is read again") {
  const Folder folder;
  const Program back =
      written(program_of({make_op("scale", {{"X", {"x"}}}, {{"Out", {"y"}}},
                                  {{"scale", 0.5}, {"bias", 2.0}, {"bias_after_scale", true}}),
                          make_op("reduce_sum", {{"X", {"y"}}}, {{"Out", {"z"}}},
                                  {{"dim", std::vector<std::int64_t>{1}},
                                   {"keep_dim", false},
                                   {"reduce_all", false},
                                   {"out_dtype", std::int64_t{-1}}}),
                          make_op("transpose2", {{"X", {"y"}}}, {{"Out", {"t"}}, {"XShape", {"s"}}},
                                  {{"axis", std::vector<std::int64_t>{1, 0}}}),
                          make_op("concat", {{"X", {"t", "t"}}}, {{"Out", {"w"}}}, {{"axis", std::int64_t{1}}})},
                         "w", {{"z", {2}}, {"t", {3, 2}}, {"w", {3, 4}}}),
              folder);
  CHECK(types_of(back) == std::vector<std::string>{"scale", "reduce_sum", "transpose2", "concat", "assign"});
  const std::vector<Op>& ops = back.main().ops;
  CHECK(ops[0].get_float("scale") == 0.5);
  CHECK(ops[0].get_float("bias") == 2.0);
  CHECK(ops[1].get_ints("dim") == std::vector<std::int64_t>{1});
  CHECK(ops[2].get_ints("axis") == std::vector<std::int64_t>{1, 0});
  CHECK(ops[3].input("X").size() == 2);
  CHECK(back.inputs.front().name == "x");
  CHECK(back.outputs.front().name == "w");
  CHECK(back.find_variable(0, ops[3].output("Out", 0))->dims == Shape{3, 4});
}

TEST_CASE("a variable that is written twice is two values") {
  const Folder folder;
  const Op increment = make_op("increment", {{"X", {"x"}}}, {{"Out", {"x"}}}, {{"step", 1.0}});
  const Program back =
      written(program_of({increment, increment, make_op("relu", {{"X", {"x"}}}, {{"Out", {"y"}}})}, "y"), folder);
  const std::vector<Op>& ops = back.main().ops;
  REQUIRE(ops.size() == 4);
  CHECK(ops[0].input("X", 0) == "x");
  CHECK(ops[1].input("X", 0) == ops[0].output("Out", 0));
  CHECK(ops[2].input("X", 0) == ops[1].output("Out", 0));
}

TEST_CASE("axes aligned by an attribute need another operator") {
  const Folder folder;
  Program program = program_of(
      {make_op("elementwise_add", {{"X", {"x"}}, {"Y", {"b"}}}, {{"Out", {"y"}}}, {{"axis", std::int64_t{0}}})}, "y",
      {{"b", {2}}});
  program.inputs.push_back({"b"});
  const Program back = written(program, folder);
  REQUIRE(types_of(back) == std::vector<std::string>{"unsqueeze2", "elementwise_add", "assign"});
  CHECK(back.main().ops[0].get_ints("axes") == std::vector<std::int64_t>{1});
}

TEST_CASE("rows along another axis than the first are picked by the operator that has the axis as an attribute") {
  const Folder folder;
  Program program =
      program_of({make_op("gather", {{"X", {"x"}}, {"Index", {"i"}}}, {{"Out", {"y"}}}, {{"axis", std::int64_t{1}}})},
                 "y", {{"i", {4}}, {"y", {2, 4}}});
  program.inputs.push_back({"i"});
  CHECK(types_of(written(program, folder)) == std::vector<std::string>{"index_select", "assign"});
}

TEST_CASE("all inexpressible operators are reported at once, and nothing is written") {
  const Program program = program_of({make_op("conv2d", {{"Input", {"x"}}}, {{"Output", {"y"}}}),
                                      make_op("relu", {{"X", {"y"}}}, {{"Out", {"z"}}}, {{"slope", 0.5}}),
                                      make_op("no_such_operator", {{"X", {"z"}}}, {{"Out", {"w"}}})},
                                     "w");
  std::vector<Problem> problems;
  CHECK(pir_json_of(program, &problems).empty());
  REQUIRE(problems.size() == 3);
  const char* expected[] = {"'filter' of its 'conv2d' is not given", "its 'relu' has no attribute 'slope'",
                            "has no operator for 'no_such_operator'"};
  const char* outputs[] = {"y", "z", "w"};
  for (std::size_t i = 0; i < 3; ++i) {
    CAPTURE(problems[i].message);
    CHECK(problems[i].code == E_UNSUPPORTED);
    CHECK(problems[i].message.find(expected[i]) != std::string::npos);
    CHECK(problems[i].output == outputs[i]);
    CHECK(problems[i].hint.find(".pdmodel") != std::string::npos);
  }
}

TEST_CASE("saved programs are refused with reasons, or can be read again") {
  const Folder folder;
  int count = 0;
  for (const auto& entry : fs::directory_iterator(TEST_MODELS)) {
    CAPTURE(entry.path().string());
    Program program;
    try {
      program = open_model(entry.path().string());
    } catch (const Error&) {
      continue;  // for tests of the reader
    }
    std::vector<Problem> problems;
    const std::string text = pir_json_of(program, &problems);
    CHECK(text.empty() == !problems.empty());
    if (text.empty()) continue;
    write_program_files(text, program, weights_of(program), folder.path("m.json"), folder.path("m.pdiparams"));
    const Program back = open_model(folder.path("m.json"));
    CHECK(back.inputs.size() == program.inputs.size());
    CHECK(back.outputs.size() == program.outputs.size());
    CHECK(back.parameters.size() == program.parameters.size());
    for (const Block& block : back.blocks) {
      for (const Op& each : block.ops) CHECK(each.refusal.empty());
    }
    ++count;
  }
  CHECK(count > 15);
}

}  // namespace
}  // namespace fluid2onnx::test
