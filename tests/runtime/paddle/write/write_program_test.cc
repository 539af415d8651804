#include "runtime/paddle/write/write_program.h"

#include <doctest/doctest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <map>
#include <string>

#include "runtime/support/error.h"
#include "tests/runtime/paddle/write/copy.h"
#include "tests/runtime/temporary_folder.h"

namespace fluid2onnx::test {
namespace {

namespace fs = std::filesystem;

std::string content(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

Program written(const Program& program, const std::map<std::string, Tensor>& weights, const TemporaryFolder& folder) {
  write_program(program, weights, folder.path("m.pdmodel"), folder.path("m.pdiparams"));
  return open_model(folder.path("m.pdmodel"));
}

bool same(const Variable& a, const Variable& b) {
  return a.kind == b.kind && a.dtype == b.dtype && a.dims == b.dims && a.lod_level == b.lod_level &&
         a.persistable == b.persistable;
}

bool same(const std::vector<Slot>& a, const std::vector<Slot>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const Slot& x, const Slot& y) { return x.name == y.name && x.args == y.args; });
}

bool same(const AttributeList& a, const AttributeList& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const Attribute& x, const Attribute& y) { return x.name == y.name && x.value == y.value; });
}

void check_same(const Program& a, const Program& b) {
  CHECK(a.version == b.version);
  CHECK(a.op_versions == b.op_versions);
  REQUIRE(a.blocks.size() == b.blocks.size());
  for (size_t i = 0; i < a.blocks.size(); ++i) {
    CHECK(a.blocks[i].parent == b.blocks[i].parent);
    for (const auto& [name, variable] : a.blocks[i].variables) {
      CAPTURE(name);
      REQUIRE(b.blocks[i].find(name));
      CHECK(same(variable, *b.blocks[i].find(name)));
    }
    REQUIRE(a.blocks[i].ops.size() == b.blocks[i].ops.size());
    for (size_t j = 0; j < a.blocks[i].ops.size(); ++j) {
      const Op &x = a.blocks[i].ops[j], &y = b.blocks[i].ops[j];
      CAPTURE(x.type);
      CHECK(x.type == y.type);
      CHECK(same(x.inputs, y.inputs));
      CHECK(same(x.outputs, y.outputs));
      CHECK(same(x.attrs, y.attrs));
    }
  }
  REQUIRE(a.inputs.size() == b.inputs.size());
  for (size_t i = 0; i < a.inputs.size(); ++i) CHECK(a.inputs[i].name == b.inputs[i].name);
  REQUIRE(a.outputs.size() == b.outputs.size());
  for (size_t i = 0; i < a.outputs.size(); ++i) CHECK(a.outputs[i].value == b.outputs[i].value);
  REQUIRE(a.parameters.size() == b.parameters.size());
  for (const auto& [name, parameter] : a.parameters) {
    const Parameter* copy = b.find_parameter(name);
    REQUIRE(copy);
    CHECK(parameter.dtype == copy->dtype);
    CHECK(parameter.dims == copy->dims);
    const auto x = parameter.data.bytes(), y = copy->data.bytes();
    CHECK(std::equal(x.begin(), x.end(), y.begin(), y.end()));
  }
}

/// in -> scale -> out, with one unused parameter.
Program small() {
  Program program;
  Block& main = program.blocks.emplace_back();
  Variable tensor;
  tensor.dtype = Dtype::float32;
  tensor.dims = Shape{-1, 2};
  main.variables = {{"in", tensor}, {"out", tensor}};
  tensor.dims = Shape{2};
  tensor.persistable = true;
  main.variables["w"] = tensor;
  Op& op = main.ops.emplace_back();
  op.type = "scale";
  op.inputs = {{"X", {"in"}}, {"ScaleTensor", {}}};
  op.outputs = {{"Out", {"out"}}};
  program.inputs = {{"in"}};
  program.outputs = {{"out", "out"}};
  return program;
}

std::map<std::string, Tensor> small_weights() { return {{"w", Tensor::of<float>(Dtype::float32, {2}, {1, 2})}}; }

}  // namespace

TEST_CASE("programs that were read are the same when they are written") {
  for (const char* name :
       {"jit", "static_save", "no_params", "model_combined", "model_separate", "param_dtypes", "ptq_int8", "while_loop",
        "nested_control", "tensor_array", "axis_tensor", "set_item", "lstm", "zero_dim"}) {
    CAPTURE(name);
    const TemporaryFolder folder;
    const Program program = open_model(std::string(TEST_MODELS) + "/" + name);
    check_same(program, written(program, weights_of(program), folder));
  }
}

TEST_CASE("a program that was made") {
  const TemporaryFolder folder;
  Program program = small();
  const Program read = written(program, small_weights(), folder);
  CHECK(read.version == 2006002);
  CHECK(read.find_parameter("w")->dims == Shape{2});
  program.version = 2006002;
  program.parameters = read.parameters;
  check_same(program, read);
}

TEST_CASE("attributes of every kind") {
  const std::vector<Attribute> attrs = {
      {"bool", true},
      {"int", std::int64_t{-7}},
      {"long", std::int64_t{1} << 40},
      {"float", 0.5},
      {"string", std::string("s")},
      {"dtype", std::int64_t{5}},
      {"bools", std::vector<bool>{true, false}},
      {"ints", std::vector<std::int64_t>{1, -2}},
      {"longs", std::vector<std::int64_t>{1, std::int64_t{1} << 40}},
      {"none", std::vector<std::int64_t>{}},
      {"floats", std::vector<double>{0.5, -1}},
      {"strings", std::vector<std::string>{"a", ""}},
      {"numbers", std::vector<Number>{true, std::int64_t{3}, 0.1, std::complex<double>(1, 2)}},
      {"one", VariableRefs{{"in"}, false}},
      {"many", VariableRefs{{"in", "w"}, true}},
  };
  Program program = small();
  program.blocks[0].ops[0].attrs = attrs;
  program.blocks[0].ops[0].attrs.edit()[5].value = Dtype::float32;
  const TemporaryFolder folder;
  const Program read = written(program, small_weights(), folder);
  REQUIRE(read.main().ops[0].attrs.size() == attrs.size());
  for (size_t i = 0; i < attrs.size(); ++i) {
    CAPTURE(attrs[i].name);
    CHECK(read.main().ops[0].attrs.begin()[static_cast<std::ptrdiff_t>(i)].value == attrs[i].value);
  }
}

TEST_CASE("numbers of 64 bits where Paddle wants them") {
  Program program = small();
  Op& op = program.blocks[0].ops[0];
  op.type = "assign_value";
  op.attrs = {{"fp64_values", std::vector<double>{0.1}}, {"fp32_values", std::vector<double>{0.1}}};
  const TemporaryFolder folder;
  const Program read = written(program, small_weights(), folder);
  CHECK(read.main().ops[0].get_floats("fp64_values") == std::vector<double>{0.1});
  CHECK(read.main().ops[0].get_floats("fp32_values") == std::vector<double>{0.1f});
}

TEST_CASE("an output has the name that is asked for") {
  Program program = small();
  program.outputs = {{"result", "out"}, {"again", "out"}, {"w", "w"}};
  const TemporaryFolder folder;
  const Program read = written(program, small_weights(), folder);
  REQUIRE(read.outputs.size() == 3);
  CHECK(read.outputs[0].value == "result");
  CHECK(read.outputs[1].value == "again");
  CHECK(read.outputs[2].value == "w");
  CHECK(read.main().ops.size() == 3);
}

TEST_CASE("weights and variables belong together") {
  const TemporaryFolder folder;
  const auto code = [&](const Program& program, const std::map<std::string, Tensor>& weights) {
    try {
      write_program(program, weights, folder.path("m.pdmodel"), folder.path("m.pdiparams"));
    } catch (const Error& error) {
      return error.code();
    }
    FAIL("no error");
    return E_INTERNAL;
  };
  CHECK(code(small(), {}) == E_INTERNAL);
  auto more = small_weights();
  more["v"] = more["w"];
  CHECK(code(small(), more) == E_INTERNAL);
  CHECK_FALSE(fs::exists(folder.path("m.pdmodel")));
  CHECK_FALSE(fs::exists(folder.path("m.pdiparams")));
}

TEST_CASE("both files are replaced, or none") {
  const TemporaryFolder folder;
  const std::string model = folder.path("m.pdmodel"), params = folder.path("m.pdiparams");
  write_program(small(), small_weights(), model, params);
  const std::string before = content(model) + content(params);
  CHECK_THROWS_AS(write_program(small(), small_weights(), model, folder.path("absent/m.pdiparams")), Error);
  CHECK(content(model) + content(params) == before);

  // Without parameters nothing of the old ones is left.
  Program bare = small();
  bare.blocks[0].variables.erase("w");
  write_program(bare, {}, model, params);
  CHECK_FALSE(fs::exists(params));
  CHECK(open_model(model).parameters.empty());
}

}  // namespace fluid2onnx::test
