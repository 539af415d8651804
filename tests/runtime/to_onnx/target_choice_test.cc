#include "runtime/to_onnx/target_choice.h"

#include <doctest/doctest.h>

#include <string>

#include "runtime/to_onnx/convert_model.h"
#include "tests/runtime/to_onnx/make_program.h"

using namespace fluid2onnx;

namespace {

/// "Max Sub": the nodes of the model for a target, sorted by operator.
std::string nodes_for(const MakeProgram& m, const char* target) {
  ConvertOptions options;
  if (target != nullptr) choose_target(target, false, &options);
  const ConvertResult result = convert_model(m.program, options);
  std::string text;
  for (const auto& [op, count] : result.report.nodes) text += (text.empty() ? "" : " ") + op;
  return text;
}

}  // namespace

TEST_CASE("a function of the library replaces nodes that the target does not run") {
  MakeProgram m;
  m.input("x");
  m.variable("y");
  m.unary("abs", "x", "y");
  m.output("y");
  CHECK(nodes_for(m, nullptr) == "Abs");
  CHECK(nodes_for(m, "onnxruntime") == "Abs");
  // RKNN has neither Abs nor Neg: the replacement's own nodes are replaced as well.
  CHECK(nodes_for(m, "rknn") == "Max Sub");
  CHECK(nodes_for(m, "coreml") == "Max Sub");
  CHECK(nodes_for(m, "qnn") == "Abs");
  CHECK(nodes_for(m, "ascend") == "Abs");
}

TEST_CASE("a replacement depends on the dtype and the attributes of the node") {
  MakeProgram m;
  for (const char* name : {"x", "y"}) m.input(name);
  for (const char* name : {"i", "j"}) m.input(name, Dtype::int64);
  m.variable("floats", Dtype::bool_);
  m.variable("ints", Dtype::bool_);
  m.op("less_than", {{"X", {"x"}}, {"Y", {"y"}}}, {{"Out", {"floats"}}});
  m.op("less_than", {{"X", {"i"}}, {"Y", {"j"}}}, {{"Out", {"ints"}}});
  m.output("floats");
  CHECK(nodes_for(m, "mnn") == "Greater");
  m.output("ints");
  CHECK(nodes_for(m, "mnn") == "Greater Less");
}

TEST_CASE("a function that needs a constant does not replace a node without it") {
  MakeProgram m;
  m.input("x", Dtype::float32, {4, 4});
  m.input("i", Dtype::int64, {});
  m.variable("y", Dtype::float32, {4});
  m.op("gather", {{"X", {"x"}}, {"Index", {"i"}}}, {{"Out", {"y"}}});
  m.output("y");
  CHECK(nodes_for(m, "ncnn").find("Gather") != std::string::npos);
}

TEST_CASE("recipes can ask what the target has") {
  CHECK(TargetChoice(nullptr).has("Abs", 17, Dtype::float32));
  const TargetChoice mnn(&find_target("mnn"));
  CHECK(mnn.has("Less", 17, Dtype::undefined));
  CHECK(mnn.has("Less", 17, Dtype::int64));
  CHECK_FALSE(mnn.has("Less", 17, Dtype::float32));
  CHECK_FALSE(mnn.has("Mod", 17, Dtype::undefined));
  CHECK_FALSE(mnn.has("ReduceL1", 18, Dtype::undefined));  // of opsets 7 to 17
  CHECK_FALSE(mnn.has("Gelu", 17, Dtype::undefined));      // ONNX has it from 20 on
}
