#include "runtime/to_onnx/control_flow.h"

#include <doctest/doctest.h>

#include <optional>

#include "runtime/convert/program_slots.h"
#include "runtime/to_onnx/convert_model.h"
#include "tests/runtime/onnx_bytes.h"
#include "tests/runtime/to_onnx/make_program.h"

using namespace fluid2onnx;

namespace {

/// Converts, and has ONNX check the result.
Report convert(const MakeProgram& m, int opset = 17) {
  ConvertOptions options;
  options.opset = opset;
  ConvertResult result = convert_model(m.program, options);
  for (const Problem& p : result.report.problems) MESSAGE(p.place() << ": " << p.message);
  REQUIRE(result.model);
  CHECK_NOTHROW(test::onnx_bytes(*result.model));
  return result.report;
}

int64_t count(const Report& report, const std::string& type) {
  const auto found = report.nodes.find(type);
  return found == report.nodes.end() ? 0 : found->second;
}

/// y = if c: relu(x) else tanh(x), and z = abs(x) or exp(x) with it.
MakeProgram if_else(const char* type = "conditional_block") {
  MakeProgram m;
  m.input("x");
  m.input("c", Dtype::bool_, {1});
  for (const char* name : {"t1", "t2", "f1", "f2", "y", "z"}) m.variable(name);
  m.variable("n", Dtype::bool_, {1});
  m.variable("mask", Dtype::int32, {1});
  const int32_t then = m.block(0), otherwise = m.block(0);
  m.op(type, {{"Cond", {"c"}}, {"Input", {"x"}}}, {{"Out", {"t1", "t2"}}}, {sub_block(then)});
  m.unary("relu", "x", "t1", then);
  m.unary("abs", "x", "t2", then);
  m.unary("logical_not", "c", "n");
  // In another order.
  m.op(type, {{"Cond", {"n"}}, {"Input", {"x"}}}, {{"Out", {"f2", "f1"}}}, {sub_block(otherwise)});
  m.unary("exp", "x", "f2", otherwise);
  m.unary("tanh", "x", "f1", otherwise);
  m.op("cast", {{"X", {"c"}}}, {{"Out", {"mask"}}}, {{"in_dtype", std::int64_t{0}}, {"out_dtype", std::int64_t{2}}});
  m.op("select_input", {{"X", {"f1", "t1"}}, {"Mask", {"mask"}}}, {{"Out", {"y"}}});
  m.op("select_input", {{"X", {"f2", "t2"}}, {"Mask", {"mask"}}}, {{"Out", {"z"}}});
  m.output("y");
  m.output("z");
  return m;
}

}  // namespace

TEST_CASE("two conditional blocks become one If") {
  for (const char* type : {"conditional_block", "conditional_block_infer"}) {
    for (const int opset : {7, 11, 17, 28}) {
      CAPTURE(type);
      CAPTURE(opset);
      const Report report = convert(if_else(type), opset);
      CHECK(count(report, "If") == 1);
      CHECK(report.node_count() == 5);
      CHECK(report.outputs[0].name == "y");
      CHECK(report.outputs[1].name == "z");
      CHECK(port_text(report.outputs[1]) == "float32[2, 3]");
    }
  }
}

TEST_CASE("a variable that one branch leaves undefined has the dtype of the other") {
  MakeProgram m;
  m.input("x");
  m.input("c", Dtype::bool_, {1});
  for (const char* name : {"t1", "f1", "y"}) m.variable(name);
  for (const char* name : {"t2", "z"}) m.variable(name, Dtype::int64, {-1});
  m.variable("mask", Dtype::int32, {1});
  m.variable("n", Dtype::bool_, {1});
  m.variable("nothing", Dtype::float32, {1});
  const int32_t then = m.block(0), otherwise = m.block(0);
  m.op("conditional_block", {{"Cond", {"c"}}, {"Input", {"x"}}}, {{"Out", {"t1", "t2"}}}, {sub_block(then)});
  m.unary("relu", "x", "t1", then);
  m.op("where_index", {{"Condition", {"x"}}}, {{"Out", {"t2"}}}, {}, then);
  m.unary("logical_not", "c", "n");
  m.op("conditional_block", {{"Cond", {"n"}}, {"Input", {"x"}}}, {{"Out", {"f1"}}}, {sub_block(otherwise)});
  m.unary("tanh", "x", "f1", otherwise);
  m.op("cast", {{"X", {"c"}}}, {{"Out", {"mask"}}}, {{"in_dtype", std::int64_t{0}}, {"out_dtype", std::int64_t{2}}});
  m.op("assign_value", {}, {{"Out", {"nothing"}}},
       {{"shape", std::vector<std::int64_t>{1}},
        {"dtype", std::int64_t{5}},
        {"fp32_values", std::vector<double>{1.7711300426541744e+27}}});
  m.op("select_input", {{"X", {"nothing", "t2"}}, {"Mask", {"mask"}}}, {{"Out", {"z"}}});
  m.op("select_input", {{"X", {"f1", "t1"}}, {"Mask", {"mask"}}}, {{"Out", {"y"}}});
  m.output("y");
  m.output("z");
  const Report report = convert(m);
  CHECK(count(report, "If") == 1);
  CHECK(count(report, "Relu") == 1);
  CHECK(port_text(report.outputs[0]) == "float32[2, 3]");
  CHECK(port_text(report.outputs[1]).starts_with("int64["));
}

TEST_CASE("values that are never selected are not converted") {
  MakeProgram m = if_else();
  m.program.outputs.pop_back();
  const Report report = convert(m);
  CHECK(count(report, "If") == 1);
  CHECK(count(report, "Abs") == 0);
  CHECK(count(report, "Exp") == 0);
}

TEST_CASE("a conditional block with another reader is a separate If") {
  MakeProgram m = if_else();
  m.variable("w");
  m.unary("sqrt", "t1", "w");
  m.output("w");
  const Report report = convert(m);
  CHECK(count(report, "Sqrt") == 1);
  CHECK(count(report, "If") >= 1);
}

TEST_CASE("operands of a waiting block may be overwritten meanwhile") {
  MakeProgram m = if_else();
  // Between the second block and its readers: x = x + x in place would change what relu sees.
  auto& ops = m.program.blocks[0].ops;
  Op in_place;
  in_place.type = "sigmoid";
  in_place.inputs = {{"X", {"x"}}};
  in_place.outputs = {{"Out", {"x"}}};
  in_place.index = 90;
  ops.insert(ops.begin() + 3, in_place);
  m.variable("s");
  m.unary("sqrt", "x", "s");
  m.output("s");
  ConvertResult result = convert_model(m.program);
  REQUIRE(result.model);
  // The branches read the input itself.
  const Model& model = *result.model;
  const Value x = model.main().inputs[0];
  for (const NodeId id : model.main().nodes) {
    for (const Body& body : model.node(id).bodies) {
      for (const NodeId inner : model.graph(body.graph).nodes) CHECK(model.node(inner).inputs[0] == x);
    }
  }
}

TEST_CASE("without an else the variable keeps what it had") {
  MakeProgram m;
  m.input("x");
  m.input("c", Dtype::bool_, {1});
  m.variable("y");
  const int32_t then = m.block(0);
  m.unary("relu", "x", "y");
  m.op("conditional_block", {{"Cond", {"c"}}, {"Input", {"x"}}}, {{"Out", {"y"}}}, {sub_block(then)});
  m.unary("abs", "x", "y", then);
  m.output("y");
  const Report report = convert(m);
  CHECK(count(report, "If") == 1);
  CHECK(count(report, "Relu") == 1);
}

TEST_CASE("a loop carries what later iterations or operators read") {
  MakeProgram m;
  m.input("x");
  m.input("n", Dtype::int64, {1});
  m.variable("i", Dtype::int64, {1});
  m.variable("c", Dtype::bool_, {1});
  for (const char* name : {"t", "unread"}) m.variable(name);
  const int32_t body = m.block(0);
  m.op("fill_constant", {}, {{"Out", {"i"}}},
       {{"shape", std::vector<std::int64_t>{1}}, {"value", 0.0}, {"dtype", std::int64_t{3}}});
  m.op("less_than", {{"X", {"i"}}, {"Y", {"n"}}}, {{"Out", {"c"}}});
  m.op("while", {{"X", {"x", "i", "n", "unread"}}, {"Condition", {"c"}}}, {{"Out", {"x", "i", "c", "unread"}}},
       {sub_block(body)});
  m.unary("relu", "x", "t", body);
  m.unary("exp", "x", "unread", body);
  m.unary("assign", "t", "x", body);
  m.op("increment", {{"X", {"i"}}}, {{"Out", {"i"}}}, {{"step", 1.0}}, body);
  m.op("less_than", {{"X", {"i"}}, {"Y", {"n"}}}, {{"Out", {"c"}}}, {}, body);
  m.variable("y");
  m.unary("assign", "x", "y");
  m.output("y");
  ConvertResult result = convert_model(m.program);
  for (const Problem& p : result.report.problems) MESSAGE(p.place() << ": " << p.message);
  REQUIRE(result.model);
  CHECK_NOTHROW(test::onnx_bytes(*result.model));
  CHECK(count(result.report, "Exp") == 0);
  for (const NodeId id : result.model->main().nodes) {
    const Node& node = result.model->node(id);
    if (node.op_type != "Loop") continue;
    CHECK(node.inputs.size() == 4);  // trips, condition, x, i
    CHECK(node.outputs.size() == 2);
  }
}

namespace {

void array(MakeProgram& m, const std::string& name) {
  m.variable(name);
  m.program.blocks[0].variables[name].kind = VariableKind::tensor_array;
}

void number(MakeProgram& m, const std::string& name, double value) {
  m.variable(name, Dtype::int64, {1});
  m.op("fill_constant", {}, {{"Out", {name}}},
       {{"shape", std::vector<std::int64_t>{1}}, {"value", value}, {"dtype", std::int64_t{3}}});
}

/// The array of relu(x), relu(relu(x)) ... of n turns, written at its end or at i, joined. `turns`: n, or an input.
MakeProgram array_loop(bool at_end, bool stack, std::optional<double> turns = std::nullopt) {
  MakeProgram m;
  m.input("x");
  if (turns) number(m, "n", *turns);
  else m.input("n", Dtype::int64, {1});
  array(m, "all");
  m.variable("c", Dtype::bool_, {1});
  m.variable("t");
  m.variable("at", Dtype::int64, {1});
  const int32_t body = m.block(0);
  number(m, "i", 0);
  m.op("less_than", {{"X", {"i"}}, {"Y", {"n"}}}, {{"Out", {"c"}}});
  m.op("while", {{"X", {"x", "i", "n", "all"}}, {"Condition", {"c"}}}, {{"Out", {"x", "i", "c", "all"}}},
       {sub_block(body)});
  m.unary("relu", "x", "t", body);
  if (at_end) m.op("lod_array_length", {{"X", {"all"}}}, {{"Out", {"at"}}}, {}, body);
  m.op("write_to_array", {{"X", {"t"}}, {"I", {at_end ? "at" : "i"}}}, {{"Out", {"all"}}}, {}, body);
  m.unary("assign", "t", "x", body);
  m.op("increment", {{"X", {"i"}}}, {{"Out", {"i"}}}, {{"step", 1.0}}, body);
  m.op("less_than", {{"X", {"i"}}, {"Y", {"n"}}}, {{"Out", {"c"}}}, {}, body);
  m.variable("y", Dtype::float32, {-1, 2, 3});
  m.op("tensor_array_to_tensor", {{"X", {"all"}}}, {{"Out", {"y"}}}, {{"axis", std::int64_t{0}}, {"use_stack", stack}});
  m.output("y");
  return m;
}

}  // namespace

TEST_CASE("arrays of known elements leave nothing behind") {
  MakeProgram m;
  m.input("x");
  array(m, "all");
  for (const char* name : {"r", "y", "z"}) m.variable(name);
  m.variable("n", Dtype::int64, {1});
  number(m, "zero", 0);
  number(m, "one", 1);
  m.op("write_to_array", {{"X", {"x"}}, {"I", {"zero"}}}, {{"Out", {"all"}}});
  m.unary("relu", "x", "r");
  m.op("write_to_array", {{"X", {"x"}}, {"I", {"one"}}}, {{"Out", {"all"}}});
  m.op("write_to_array", {{"X", {"r"}}, {"I", {"one"}}}, {{"Out", {"all"}}});
  m.op("read_from_array", {{"X", {"all"}}, {"I", {"one"}}}, {{"Out", {"z"}}});
  m.op("lod_array_length", {{"X", {"all"}}}, {{"Out", {"n"}}});
  m.op("tensor_array_to_tensor", {{"X", {"all"}}}, {{"Out", {"y"}}}, {{"axis", std::int64_t{1}}});
  for (const char* name : {"y", "z", "n"}) m.output(name);
  const Report report = convert(m);
  CHECK(count(report, "Relu") == 1);
  CHECK(count(report, "Concat") == 1);
  CHECK(count(report, "SequenceConstruct") == 0);
  CHECK(port_text(report.outputs[0]) == "float32[2, 6]");
  CHECK(port_text(report.outputs[2]) == "int64[1]");
}

TEST_CASE("a loop with few iterations of known number is unrolled") {
  for (const bool at_end : {true, false}) {
    for (const int opset : {11, 13, 28}) {
      CAPTURE(at_end);
      CAPTURE(opset);
      const Report report = convert(array_loop(at_end, false, 3), opset);
      CHECK(count(report, "Loop") == 0);
      CHECK(count(report, "Relu") == 3);
      CHECK(count(report, "SequenceInsert") == 0);
      CHECK(count(report, "SequenceConstruct") == 0);
      CHECK(port_text(report.outputs[0]) == "float32[6, 3]");
    }
  }
  const Report long_loop = convert(array_loop(true, false, 33));
  CHECK(count(long_loop, "Loop") == 1);
  CHECK(count(long_loop, "Relu") == 1);
}

TEST_CASE("the condition of a loop must be bool, also if it is constant") {
  for (const bool constant : {true, false}) {
    CAPTURE(constant);
    MakeProgram m;
    m.input("x");
    m.variable("c", Dtype::float32, {1});
    if (constant) {
      m.op("fill_constant", {}, {{"Out", {"c"}}},
           {{"shape", std::vector<std::int64_t>{1}}, {"value", 0.0}, {"dtype", std::int64_t{5}}});
    } else {
      m.op("mean", {{"X", {"x"}}}, {{"Out", {"c"}}});
    }
    const int32_t body = m.block(0);
    m.op("while", {{"X", {"x"}}, {"Condition", {"c"}}}, {{"Out", {"x"}}}, {sub_block(body)});
    m.unary("relu", "x", "x", body);
    m.output("x");
    const ConvertResult result = convert_model(m.program, {});
    REQUIRE(result.report.problems.size() == 1);
    CHECK(result.report.problems[0].code == E_DTYPE);
  }
}

TEST_CASE("results of a recurrence without steps exist") {
  for (const bool reverse : {false, true}) {
    CAPTURE(reverse);
    MakeProgram m;
    m.variable("x", Dtype::float32, {0, 2, 3});
    m.variable("start");
    m.variable("y", Dtype::float32, {0, 2, 3});
    m.op("fill_constant", {}, {{"Out", {"x"}}},
         {{"shape", std::vector<std::int64_t>{0, 2, 3}}, {"value", 1.0}, {"dtype", std::int64_t{5}}});
    m.op("fill_constant", {}, {{"Out", {"start"}}},
         {{"shape", std::vector<std::int64_t>{2, 3}}, {"value", 1.0}, {"dtype", std::int64_t{5}}});
    const int32_t body = m.block(0);
    m.variable("x", Dtype::float32, {2, 3}, body);
    for (const char* name : {"before", "after", "y"}) m.variable(name, Dtype::float32, {2, 3}, body);
    m.op("elementwise_add", {{"X", {"x"}}, {"Y", {"before"}}}, {{"Out", {"after"}}}, {}, body);
    m.unary("relu", "after", "y", body);
    m.op("recurrent", {{"inputs", {"x"}}, {"initial_states", {"start"}}}, {{"outputs", {"y"}}},
         {sub_block(body),
          {"ex_states", std::vector<std::string>{"before"}},
          {"states", std::vector<std::string>{"after"}},
          {"reverse", reverse}});
    m.output("y");
    CHECK(port_text(convert(m).outputs[0]).starts_with("float32["));
  }
}

TEST_CASE("a loop carries arrays as sequences") {
  for (const int opset : {13, 17, 28}) {
    CAPTURE(opset);
    const Report added = convert(array_loop(true, false), opset);
    CHECK(count(added, "SequenceInsert") == 1);
    CHECK(count(added, "If") == 0);
    CHECK(count(added, "ConcatFromSequence") == 1);
    const Report written = convert(array_loop(false, false), opset);
    CHECK(count(written, "If") == 1);
    CHECK(count(written, "SequenceErase") == 1);
  }
  ConvertOptions options;
  options.opset = 12;
  const ConvertResult result = convert_model(array_loop(true, false).program, options);
  REQUIRE(!result.report.problems.empty());
  CHECK(result.report.problems[0].working_opset == 13);
}

TEST_CASE("a loop collects what is stacked after it") {
  for (const bool at_end : {true, false}) {
    for (const int opset : {7, 13, 28}) {
      CAPTURE(at_end);
      CAPTURE(opset);
      const Report report = convert(array_loop(at_end, true), opset);
      CHECK(count(report, "Loop") == 1);
      CHECK(count(report, "SequenceInsert") == 0);
      CHECK(count(report, "SequenceEmpty") == 0);
      CHECK(port_text(report.outputs[0]) == "float32[y.0, 2, 3]");
    }
  }
  // Along another axis, and with another reader of the array.
  MakeProgram m = array_loop(false, true);
  m.program.blocks[0].ops.back().attrs.edit()[0].value = std::int64_t{1};
  CHECK(count(convert(m), "Transpose") == 1);
  m.variable("length", Dtype::int64, {1});
  m.op("lod_array_length", {{"X", {"all"}}}, {{"Out", {"length"}}});
  m.output("length");
  CHECK(count(convert(m), "SequenceLength") == 2);
}

/// A state in an array that iteration i reads at i and writes at i + 1.
MakeProgram state_loop(bool read_later) {
  MakeProgram m;
  m.input("x");
  m.input("n", Dtype::int64, {1});
  array(m, "states");
  m.variable("c", Dtype::bool_, {1});
  m.variable("before");
  m.variable("after");
  const int32_t body = m.block(0);
  number(m, "zero", 0);
  number(m, "i", 0);
  m.op("write_to_array", {{"X", {"x"}}, {"I", {"zero"}}}, {{"Out", {"states"}}});
  m.op("less_than", {{"X", {"i"}}, {"Y", {"n"}}}, {{"Out", {"c"}}});
  m.variable("last");
  m.unary("assign", "x", "last");
  m.op("while", {{"X", {"i", "n", "states", "last"}}, {"Condition", {"c"}}}, {{"Out", {"i", "c", "states", "last"}}},
       {sub_block(body)});
  m.op("read_from_array", {{"X", {"states"}}, {"I", {"i"}}}, {{"Out", {"before"}}}, {}, body);
  m.unary("relu", "before", "after", body);
  m.unary("assign", "after", "last", body);
  m.op("increment", {{"X", {"i"}}}, {{"Out", {"i"}}}, {{"step", 1.0}}, body);
  m.op("write_to_array", {{"X", {"after"}}, {"I", {"i"}}}, {{"Out", {"states"}}}, {}, body);
  m.op("less_than", {{"X", {"i"}}, {"Y", {"n"}}}, {{"Out", {"c"}}}, {}, body);
  m.output("last");
  if (!read_later) return m;
  m.variable("first");
  m.op("read_from_array", {{"X", {"states"}}, {"I", {"zero"}}}, {{"Out", {"first"}}});
  m.output("first");
  return m;
}

TEST_CASE("a loop carries the element of an array that is a state") {
  for (const int opset : {7, 13, 28}) {
    CAPTURE(opset);
    const Report report = convert(state_loop(false), opset);
    CHECK(count(report, "SequenceConstruct") == 0);
    // The loop counts by itself; Less of opset 7 has casts around it.
    CHECK(count(report, "Less") == (opset == 7 ? 2 : 0));
    CHECK(count(report, "Add") == (opset == 7 ? 1 : 0));
    CHECK(report.skipped == 0);
    CHECK(port_text(report.outputs[0]) == "float32[2, 3]");
  }
  CHECK(count(convert(state_loop(true)), "SequenceConstruct") == 1);
}

TEST_CASE("the counter of a loop has the axes that it has in the program") {
  for (const bool single : {true, false}) {
    MakeProgram m = state_loop(false);
    const std::int32_t body = 1;
    m.variable("seen", Dtype::int64, {1});
    number(m, "minus", -1);
    m.program.blocks[0].ops.insert(m.program.blocks[0].ops.begin(), m.program.blocks[0].ops.back());
    m.program.blocks[0].ops.pop_back();
    Op assign = m.program.blocks[1].ops[0];
    assign.type = "assign";
    assign.inputs = {{"X", {"i"}}};
    assign.outputs = {{"Out", {"seen"}}};
    m.program.blocks[body].ops.insert(m.program.blocks[body].ops.begin(), assign);
    for (Op& op : m.program.blocks[0].ops) {
      if (op.type == "while") op.outputs[0].args.push_back("seen");
      if (!single || op.type != "fill_constant") continue;
      for (Attribute& attribute : op.attrs.edit()) {
        if (attribute.name == "shape") attribute.value = std::vector<std::int64_t>{};
      }
    }
    assign.inputs = {{"X", {"minus"}}};
    m.program.blocks[0].ops.insert(m.program.blocks[0].ops.begin() + 1, assign);
    m.output("seen");
    CHECK(port_text(convert(m).outputs[1]) == (single ? "int64[]" : "int64[1]"));
  }
}

TEST_CASE("an element of an array that a loop made") {
  using List = std::vector<std::int64_t>;
  MakeProgram m = array_loop(true, true);
  m.variable("first");
  m.op("slice", {{"Input", {"all"}}}, {{"Out", {"first"}}},
       {{"axes", List{0}}, {"starts", List{0}}, {"ends", List{1}}, {"decrease_axis", List{0}}});
  m.output("first");
  const Report report = convert(m);
  CHECK(count(report, "SequenceAt") == 1);
  CHECK(report.outputs[1].dims->size() == 2);

  m.program.blocks[0].ops.back().attrs.edit().pop_back();  // without 'decrease_axis', the result is an array
  array(m, "part");
  m.variable("joined", Dtype::float32, {-1, 2, 3});
  m.program.blocks[0].ops.back().outputs[0].args = {"part"};
  m.op("tensor_array_to_tensor", {{"X", {"part"}}}, {{"Out", {"joined"}}},
       {{"axis", std::int64_t{0}}, {"use_stack", true}});
  m.program.outputs.back() = {"joined", "joined"};
  const Report sliced = convert(m);
  CHECK(count(sliced, "SequenceInsert") == 2);
  CHECK(count(sliced, "ConcatFromSequence") == 2);
}

TEST_CASE("an array that nothing has written is empty") {
  MakeProgram m;
  m.input("x");
  array(m, "none");
  array(m, "copy");
  m.variable("n", Dtype::int64, {1});
  m.op("assign", {{"X", {"none"}}}, {{"Out", {"copy"}}});
  m.op("lod_array_length", {{"X", {"copy"}}}, {{"Out", {"n"}}});
  m.output("n");
  CHECK(port_text(convert(m).outputs[0]) == "int64[1]");
}

TEST_CASE("problems inside blocks are reported once") {
  MakeProgram m = if_else();
  m.program.blocks[1].ops[0].type = "no_such_op";
  const ConvertResult result = convert_model(m.program);
  CHECK(!result.model);
  REQUIRE(result.report.problems.size() == 1);
  CHECK(result.report.problems[0].block == 1);
  CHECK(result.report.problems[0].unsupported());
}

TEST_CASE("a block context runs blocks and defers operators without a walk") {
  MakeProgram m;
  m.input("x");
  m.input("c", Dtype::bool_, {1});
  for (const char* name : {"y", "kept"}) m.variable(name);
  const int32_t then = m.block(0);
  const Op op = m.op("conditional_block", {{"Cond", {"c"}}, {"Input", {"x"}}}, {{"Out", {"y"}}}, {sub_block(then)});
  m.unary("relu", "x", "y", then);
  Model model(17);
  Emitter emitter(model);
  Binder binder(m.program, emitter);
  const OutputNames outputs;
  OperatorCounts counts(m.program.blocks.size());
  TargetChoice target(nullptr);
  Scope scope;
  const Value x = model.add_input("x", tensor_type(Dtype::float32, Ints{2, 3}));
  binder.set_input(scope, "x", x, {});
  NameSet kept_inside;
  int converted = 0;
  const auto run = [&](int32_t, Scope& inner, const NameSet& wanted) {
    kept_inside = binder.kept();
    for (const std::string& name : wanted) inner.set(name, *inner.find("x"));
  };
  const auto convert_later = [&](Deferred& deferred) {
    ++converted;
    deferred.home->set("y", *deferred.scope.find("x"));
  };
  const ControlFlow flow{m.program, emitter, binder, outputs, counts, target, run, convert_later};
  NeededOp live{&op, {}, 0};
  live.read_later.insert("y");
  const std::vector<NeededOp> ops{live};
  const ProgramSlots source(
      m.program, op, live.read_later, [](const std::string&) { return Value(); },
      [](const std::string&) { return Lod(); }, [](const Op&, const std::string& name) { return name; });
  BlockContext context(flow, {ops[0], ops, 0, scope, nullptr, false}, source);

  SUBCASE("what a block keeps is kept in it only") {
    const std::vector<ValueWithLod> held = context.run_block(then, {}, {"y"}, {"kept"});
    REQUIRE(held.size() == 1);
    CHECK(held[0].value == x);
    CHECK(kept_inside.count("kept") == 1);
    CHECK(binder.kept().empty());
    CHECK(scope.find("y") == nullptr);
  }
  SUBCASE("a deferred operator reads what was there before") {
    CHECK(context.defer());
    CHECK(context.deferred("y"));
    scope.set("x", {emitter.emit_one("Relu", {x}), false, nullptr});
    CHECK(converted == 0);
    CHECK(context.value_of("y") == x);
    CHECK(converted == 1);
    CHECK(context.deferred("y") == nullptr);
  }
}
