#include "runtime/to_onnx/convert_model.h"

#include <doctest/doctest.h>
#include <onnx/defs/schema.h>

#include <algorithm>
#include <stdexcept>

#include "runtime/api/convert_file.h"
#include "runtime/onnx/write/model_proto.h"
#include "runtime/report/problems_text.h"
#include "runtime/support/error.h"
#include "runtime/to_onnx/cut.h"
#include "runtime/to_onnx/opset_search.h"
#include "tests/runtime/onnx_bytes.h"
#include "tests/runtime/to_onnx/make_program.h"

using namespace fluid2onnx;

namespace {

MakeProgram chain() {
  MakeProgram m;
  m.input("x", Dtype::float32, {-1, 3});
  for (const char* name : {"a", "b", "y"}) m.variable(name, Dtype::float32, {-1, 3});
  m.unary("relu", "x", "a");
  m.unary("tanh", "a", "b");
  m.unary("abs", "b", "y");
  m.output("y");
  return m;
}

std::string code_of(const MakeProgram& m, const ConvertOptions& options) {
  try {
    convert_model(m.program, options);
  } catch (const Error& e) {
    return std::string(code_name(e.code())) + ": " + e.message();
  }
  return "";
}

}  // namespace

TEST_CASE("ports have their names, dtypes and shapes") {
  const ConvertResult result = convert_model(chain().program);
  REQUIRE(result.model);
  CHECK(result.report.ok);
  CHECK(port_text(result.report.inputs[0]) == "float32[x.0, 3]");
  CHECK(port_text(result.report.outputs[0]) == "float32[x.0, 3]");
  CHECK(result.report.operator_count() == 3);
  CHECK(result.report.node_count() == 3);
}

TEST_CASE("a program that goes while it is converted gives the same") {
  const auto never = []() -> Program { throw std::logic_error("there is no need to read it again"); };
  const auto text = [](const Model& model) { return test::onnx_bytes(model); };
  MakeProgram m = chain();
  // Names once more, outputs in the middle, and many: they do not go one by one.
  for (int i = 0; i < 3000; ++i) {
    m.unary("tanh", "y", "t" + std::to_string(i));
    m.unary("abs", "t" + std::to_string(i), i % 1000 ? "y" : "a");
  }
  m.output("a");
  m.variable("t1500", Dtype::float32, {-1, 3});
  m.output("t1500");
  const ConvertResult kept = convert_model(m.program), given = convert_model(Program(m.program), {}, never);
  REQUIRE(given.model);
  CHECK(text(*given.model) == text(*kept.model));
  CHECK(given.report.skipped == kept.report.skipped);
  CHECK(given.report.operator_count() == kept.report.operator_count());

  ConvertOptions old;
  old.opset = 7;
  m.op("where_index", {{"Condition", {"a"}}}, {{"Out", {"a"}}});  // from opset 9 on
  int read = 0;
  const ConvertResult failed = convert_model(Program(m.program), old, [&] { return ++read, m.program; });
  REQUIRE(failed.report.problems.size() == 1);
  CHECK(failed.report.problems[0].output == "a");
  CHECK(failed.report.problems[0].working_opset == 9);
  CHECK(failed.report.working_opset == 9);
  CHECK(read == 1);
}

TEST_CASE("a size that the program declares is none") {
  const auto output_of = [](const char* type, const Shape& x, const Shape& y, std::vector<Attribute> attrs) {
    MakeProgram m;
    m.input("x", Dtype::float32, x);
    m.variable("y", Dtype::float32, y);
    m.unary(type, "x", "y").attrs = std::move(attrs);
    m.output("y");
    const ConvertResult result = convert_model(m.program);
    return result.model ? port_text(result.report.outputs[0]) : "";
  };
  // Paddle multiplies -1 by -1.
  CHECK(output_of("cumsum", {-1, -1}, {1}, {{"flatten", true}}) == "float32[y.0]");
  CHECK(output_of("cumsum", {2, 3}, {6}, {{"flatten", true}}) == "float32[6]");
  // And adds 2 to -1.
  CHECK(output_of("diag_v2", {-1}, {1, 1}, {{"offset", std::int64_t{2}}}) == "float32[y.0, y.1]");
}

TEST_CASE("declared sizes are believed where they follow from sizes that are known") {
  MakeProgram m;
  m.input("x", Dtype::float32, {3, 3});
  m.variable("y", Dtype::float32, {3, 3});
  m.op("inverse", {{"Input", {"x"}}}, {{"Output", {"y"}}});
  m.output("y");
  CHECK(port_text(convert_model(m.program).report.outputs[0]) == "float32[3, 3]");
  ConvertOptions options;
  options.input_shapes = {{"x", parse_input_shape("5,5")}};
  CHECK(port_text(convert_model(m.program, options).report.outputs[0]).find("3,") == std::string::npos);
}

TEST_CASE("cut points") {
  ConvertOptions options;
  options.inputs = {"a"};
  options.outputs = {"b"};
  options.renames = {{"b", "features"}};
  options.input_shapes = {{"a", parse_input_shape("batch,7")}};
  const ConvertResult result = convert_model(chain().program, options);
  REQUIRE(result.model);
  CHECK(result.report.nodes == std::map<std::string, int64_t>{{"Tanh", 1}});
  CHECK(result.report.inputs[0].name == "a");
  CHECK(result.report.outputs[0].name == "features");
  CHECK(port_text(result.report.outputs[0]) == "float32[batch, 7]");
}

TEST_CASE("what is asked for must be there") {
  ConvertOptions options;
  options.opset = 6;
  CHECK(code_of(chain(), options) == "E_USAGE: opset 6 is not among 7 to " + std::to_string(newest_opset()));
  options = {};
  options.outputs = {"c"};
  CHECK(code_of(chain(), options).substr(0, 45) == "E_USAGE: the model has no variable 'c'");
  options = {};
  options.inputs = {"b"};
  options.outputs = {"a"};
  CHECK(code_of(chain(), options) == "E_USAGE: the outputs still depend on input 'x'");
}

TEST_CASE("complex numbers are pairs along a last axis") {
  MakeProgram m;
  m.input("x", Dtype::complex64, {-1, 3});
  m.variable("a", Dtype::complex64, {-1, 3});
  m.variable("y", Dtype::float32, {-1, 3});
  m.unary("conj", "x", "a");
  m.unary("abs", "a", "y");
  m.output("a");
  m.output("y");
  const ConvertResult result = convert_model(m.program);
  REQUIRE(result.model);
  CHECK(port_text(result.report.inputs[0]) == "float32[x.0, 3, 2]");
  CHECK(port_text(result.report.outputs[0]) == "float32[x.0, 3, 2]");
  CHECK(port_text(result.report.outputs[1]) == "float32[x.0, 3]");
}

TEST_CASE("operators that do not expect complex numbers refuse them") {
  MakeProgram m;
  m.input("x", Dtype::complex64, {-1, 3});
  m.variable("y", Dtype::complex64, {-1, 3});
  m.unary("relu", "x", "y");
  m.output("y");
  const ConvertResult result = convert_model(m.program);
  REQUIRE(result.report.problems.size() == 1);
  CHECK(result.report.problems[0].code == E_COMPLEX);
  CHECK(result.report.problems[0].message == "complex numbers in 'X' of 'relu' cannot be converted");
}

TEST_CASE("an output that is an input gets a separate name") {
  MakeProgram m = chain();
  m.output("x");
  const ConvertResult result = convert_model(m.program);
  REQUIRE(result.model);
  CHECK(result.report.outputs[1].name == "x_1");
  CHECK(result.report.nodes.at("Identity") == 1);
  CHECK(result.report.warnings.size() == 1);
}

TEST_CASE("a variable that is written again gives the output its last value and its name") {
  MakeProgram m = chain();
  m.unary("exp", "y", "y");
  const ConvertResult result = convert_model(m.program);
  REQUIRE(result.model);
  CHECK(result.report.outputs[0].name == "y");
  CHECK(result.report.nodes.at("Exp") == 1);
}

TEST_CASE("statistics that training would update may be read again") {
  MakeProgram m;
  m.input("x", Dtype::float32, {2, 3, 4, 4});
  for (const char* name : {"y", "z"}) m.variable(name, Dtype::float32, {2, 3, 4, 4});
  for (const char* name : {"scale", "bias", "mean", "variance"}) m.input(name, Dtype::float32, {3});
  const auto normalise = [&](const char* x, const char* y) {
    m.op("batch_norm",
         {{"X", {x}}, {"Scale", {"scale"}}, {"Bias", {"bias"}}, {"Mean", {"mean"}}, {"Variance", {"variance"}}},
         {{"Y", {y}}, {"MeanOut", {"mean"}}, {"VarianceOut", {"variance"}}}, {{"is_test", true}});
  };
  normalise("x", "y");
  normalise("y", "z");
  m.output("z");
  const ConvertResult result = convert_model(m.program);
  REQUIRE(result.model);
  CHECK(result.report.nodes.at("BatchNormalization") == 2);
}

TEST_CASE("all problems are collected, and those that follow from others are not reported") {
  MakeProgram m = chain();
  m.program.blocks[0].ops[0].type = "no_such_op";
  m.program.blocks[0].ops[1].type = "nor_this";
  const ConvertResult result = convert_model(m.program);
  CHECK(!result.model);
  REQUIRE(result.report.problems.size() == 2);
  CHECK(result.report.problems[0].op_type == "no_such_op");
  CHECK(result.report.problems[0].output == "a");
  CHECK(result.report.problems[1].op_type == "nor_this");
  CHECK(result.report.working_opset == 0);
}

TEST_CASE("problems behind others are reported after them, except those caused by placeholders") {
  MakeProgram m;
  m.input("x", Dtype::float32, {-1, 3});
  for (const char* name : {"a", "b", "c", "d", "y", "z"}) m.variable(name, Dtype::float32, {-1, 3});
  m.unary("relu", "x", "a");
  m.unary("no_such_op", "a", "b");
  m.op("where_index", {{"Condition", {"b"}}}, {{"Out", {"c"}}});  // from opset 9 on
  m.unary("abs", "c", "y");
  m.op("reshape2", {{"X", {"b"}}, {"Shape", {"b"}}}, {{"Out", {"z"}}});
  m.output("y");
  m.output("z");
  ConvertOptions options;
  options.opset = 7;
  const std::vector<Problem> problems = convert_model(m.program, options).report.problems;
  REQUIRE(problems.size() == 2);
  CHECK(problems[0].op_type == "no_such_op");
  CHECK(!problems[0].behind);
  CHECK(problems[1].op_type == "where_index");
  CHECK(problems[1].behind);
  CHECK(problems[1].code == E_OPSET);
  const std::string text = problems_text(problems, 7, 0);
  CHECK(text.find("no_such_op") < text.find("after these operators"));
  CHECK(text.find("after these operators") < text.find("'where_index'"));
}

TEST_CASE("a cut leaves out what cannot be converted") {
  MakeProgram m = chain();
  for (const char* name : {"p", "q"}) m.variable(name, Dtype::float32, {-1, 3});
  m.unary("exp", "x", "p");
  m.op("no_such_op", {{"X", {"b"}}, {"Y", {"x"}}}, {{"Out", {"q"}}});
  m.output("p");
  m.output("q");
  const ConvertOptions options;
  const Cut cut = cut_before(convert_model(m.program, options).report.problems, m.program, options);
  CHECK(cut.outputs == std::vector<std::string>{"b", "y", "p"});
  CHECK(cut.operators == 4);

  // What reads nothing but inputs leaves nothing to cut.
  MakeProgram none;
  none.input("x");
  none.variable("y");
  none.unary("no_such_op", "x", "y");
  none.output("y");
  CHECK(cut_before(convert_model(none.program, options).report.problems, none.program, options).outputs.empty());
}

TEST_CASE("sequences") {
  MakeProgram m;
  m.input("x", Dtype::float32, {-1, 3});
  m.program.blocks[0].variables["x"].lod_level = 1;
  for (const char* name : {"a", "y"}) m.variable(name, Dtype::float32, {-1, 3});
  m.unary("relu", "x", "a");
  m.op("sequence_softmax", {{"X", {"a"}}}, {{"Out", {"y"}}});
  m.program.blocks[0].variables["a"].dims = m.program.blocks[0].variables["y"].dims = Shape{-1, 1};
  m.program.blocks[0].variables["x"].dims = Shape{-1, 1};
  m.output("y");
  const Report report = convert_model(m.program).report;
  REQUIRE(report.inputs.size() == 2);
  CHECK(report.inputs[0].lengths == std::vector<std::string>{"x.lengths"});
  CHECK(report.outputs[0].lengths == std::vector<std::string>{"x.lengths"});
  CHECK(lengths_text(report.outputs[0]) == ", sequences by x.lengths");

  // Of a placeholder, the program declares them.
  m.program.blocks[0].ops[0].type = "no_such_op";
  m.program.blocks[0].variables["a"].lod_level = 1;
  CHECK(convert_model(m.program).report.problems.size() == 1);
}

TEST_CASE("refusals name the lowest opset") {
  MakeProgram m = chain();
  // Positions of the elements that are not 0: ONNX has NonZero since opset 9.
  m.program.blocks[0].ops[2].type = "where_index";
  m.program.blocks[0].ops[2].inputs = {{"Condition", {"b"}}};
  ConvertOptions options;
  options.opset = 7;
  const ConvertResult result = convert_model(m.program, options);
  CHECK(!result.model);
  REQUIRE(result.report.problems.size() == 1);
  CHECK(result.report.problems[0].code == E_OPSET);
  CHECK(result.report.problems[0].working_opset == 9);
  CHECK(result.report.working_opset == 9);
  options.opset = 9;
  CHECK(convert_model(m.program, options).report.ok);
}

TEST_CASE("an output that no operator writes may be refused, too") {
  MakeProgram m;
  m.input("x", Dtype::bfloat16, {2, 3});
  m.output("x");
  ConvertOptions options;
  options.opset = 7;
  const ConvertResult result = convert_model(m.program, options);
  CHECK(!result.model);
  REQUIRE(result.report.problems.size() == 1);
  const Problem& p = result.report.problems[0];
  CHECK(p.code == E_OPSET);
  CHECK(p.place() == "output 'x'");
  CHECK(p.working_opset == 13);
  CHECK(result.report.working_opset == 13);
  CHECK(problems_text({p}, 7, 13).starts_with("error: an output needs opset 13 or later (requested: 7)"));
  CHECK(opsets_text(converting_opsets(m.program, options)) == "13 to " + std::to_string(newest_opset()));
}

TEST_CASE("a release of ONNX with one more opset needs no change") {
  auto& versions = onnx::OpSchemaRegistry::DomainToVersionRange::Instance();
  const auto [oldest, newest] = versions.Map().at("");
  versions.UpdateDomainToVersion("", oldest, newest + 1);
  ConvertOptions options;
  options.opset = newest + 1;
  const ConvertResult result = convert_model(chain().program, options);
  CHECK(result.report.opset == newest + 1);
  CHECK(opsets_text(converting_opsets(chain().program, options)) == "7 to " + std::to_string(newest + 1));
  REQUIRE(result.model);
  CHECK(ir_version_for(newest + 1) == onnx::Version::IR_VERSION);
  versions.UpdateDomainToVersion("", oldest, newest);
  CHECK(code_of(chain(), options) ==
        "E_USAGE: opset " + std::to_string(newest + 1) + " is not among 7 to " + std::to_string(newest));
}

TEST_CASE("opsets as text") {
  CHECK(opsets_text({}).empty());
  CHECK(opsets_text({9}) == "9");
  CHECK(opsets_text({7, 8, 9, 11, 13, 14}) == "7 to 9, 11 and 13 to 14");
}

TEST_CASE("an operator with a highest opset is reported") {
  // Einsum came with opset 12. Its decomposition below accepts operands that its inference rejects.
  MakeProgram m;
  m.input("a", Dtype::float32, {2, 2, 3, 4});
  m.input("b", Dtype::float32, {2, 4, 5});
  m.variable("y", Dtype::float32, {2, 2, 3, 5});
  m.op("einsum", {{"Operands", {"a", "b"}}}, {{"Out", {"y"}}}, {{"equation", std::string("...ij,...jk->...ik")}});
  m.output("y");
  const std::vector<int> opsets = converting_opsets(m.program, {});
  REQUIRE(!opsets.empty());
  for (int opset = kOldestOpset; opset <= newest_opset(); ++opset) {
    CAPTURE(opset);
    ConvertOptions options;
    options.opset = opset;
    const ConvertResult result = convert_model(m.program, options);
    const bool works = std::find(opsets.begin(), opsets.end(), opset) != opsets.end();
    CHECK(result.report.ok == works);
    const auto above = std::upper_bound(opsets.begin(), opsets.end(), opset);
    if (!works) CHECK(result.report.working_opset == (above == opsets.end() ? opsets.back() : *above));
  }
}

TEST_CASE("an operator without a value to read is a separate problem") {
  MakeProgram m = chain();
  m.program.blocks[0].ops[1].inputs = {{"X", {"nowhere"}}};
  const ConvertResult result = convert_model(m.program);
  REQUIRE(result.report.problems.size() == 1);
  CHECK(result.report.problems[0].code == E_NO_VALUE);
}

TEST_CASE("damaged operators are the program's fault") {
  MakeProgram m = chain();
  Op& op = m.program.blocks[0].ops[1];
  std::string message;
  SUBCASE("an operand is missing") {
    op.inputs.clear();
    message = "operand 'X' is missing";
  }
  SUBCASE("an empty list") {
    op.type = "concat";
    op.inputs = {{"X", {}}};
    message = "operand 'X' is missing";
  }
  SUBCASE("no dtype to cast to") {
    op.type = "cast";
    op.attrs = {{"out_dtype", int64_t{-1}}};
    message = "the dtype is missing: neither the operator nor its variables declare it";
    m.program.blocks[0].variables["b"].dtype = Dtype::undefined;
  }
  SUBCASE("a list with a gap") {
    op.type = "concat";
    op.inputs = {{"X", {"a", ""}}};
    message = "a tensor in the list 'X' has no name";
  }
  SUBCASE("the first tensor has no name") {
    op.inputs = {{"X", {"", "a"}}};
    message = "a tensor in the list 'X' has no name";
  }
  SUBCASE("an empty list that need not be there") {
    op.type = "index_put";
    op.inputs = {{"x", {"a"}}, {"value", {"a"}}, {"indices", {}}};
    op.outputs = {{"out", {"b"}}};
    message = "a list of operands or attributes has 0 items; index 0 is out of range";
  }
  SUBCASE("numbers that are no tensor") {
    op.type = "assign_value";
    op.inputs.clear();
    op.attrs = {{"shape", std::vector<int64_t>{3}}, {"fp32_values", std::vector<double>{1}}, {"dtype", int64_t{5}}};
    message = "1 values are given for a tensor of 3 elements";
  }
  const ConvertResult result = convert_model(m.program);
  REQUIRE(result.report.problems.size() == 1);
  CHECK(result.report.problems[0].code == E_BAD_PROGRAM);
  CHECK(result.report.problems[0].message == message);
}

TEST_CASE("an operand whose dtype differs from the declared one is reported") {
  MakeProgram m;
  m.input("x");
  m.variable("t");
  m.variable("y");
  m.unary("my_cast", "x", "t");
  m.op("matmul_v2", {{"X", {"t"}}, {"Y", {"x"}}}, {{"Out", {"y"}}}, {{"trans_y", true}});
  m.output("y");
  AddedConverters specs;
  AddedConverter& added = specs.paddle["my_cast"];
  added.spec = "my.yaml";
  added.convert = [](OpContext& op, std::string*) {
    op.set_output("Out", op.node("Cast", {op.input("X")}, {Attr("to", int64_t{7})}, 1)[0]);
  };
  ConvertOptions options;
  options.specs = std::make_shared<AddedConverters>(specs);
  const ConvertResult result = convert_model(m.program, options);
  REQUIRE(result.report.problems.size() == 1);
  CHECK(result.report.problems[0].hint ==
        "'t' is int64 by the spec of 'my_cast' in my.yaml, and the program declares it float32");
}

TEST_CASE("where only the opset is at fault, nothing else is blamed") {
  MakeProgram m;
  m.input("boxes", Dtype::float32, {1, 8, 4});
  m.input("scores", Dtype::float32, {1, 2, 8});
  m.variable("found", Dtype::float32, {-1, 6});
  m.op("multiclass_nms3", {{"BBoxes", {"boxes"}}, {"Scores", {"scores"}}}, {{"Out", {"found"}}});
  m.output("found");
  ConvertOptions options;
  options.opset = 8;
  const ConvertResult result = convert_model(m.program, options);
  REQUIRE(result.report.problems.size() == 1);
  CHECK(result.report.problems[0].code == E_OPSET);
  CHECK(result.report.problems[0].working_opset == 10);
  CHECK(result.report.problems[0].message == "'multiclass_nms3' needs opset 10 or later");
}

TEST_CASE("sizes out of all proportion are refused at once") {
  MakeProgram m = chain();
  Op& op = m.program.blocks[0].ops[1];
  op.type = "elementwise_add";
  m.input("v", Dtype::float32, {3});
  op.inputs = {{"X", {"a"}}, {"Y", {"v"}}};
  op.attrs = {{"axis", int64_t{2147483647}}};
  const ConvertResult result = convert_model(m.program);
  REQUIRE(result.report.problems.size() == 1);
  CHECK(result.report.problems[0].code == E_TOO_LARGE);
}

TEST_CASE("where the file goes by default") {
  CHECK(default_output("dir/resnet.pdmodel") == "resnet.onnx");
  CHECK(default_output("dir/resnet.v2.pdmodel") == "resnet.v2.onnx");
  CHECK(default_output("dir/net.json") == "net.onnx");
  CHECK(default_output("dir/net") == "net.onnx");
  CHECK(default_output("dir/net/") == "net.onnx");
  CHECK(default_output("dir/net/__model__") == "net.onnx");
}
