// What a file's graphs may not have, and the order of nodes within graphs. See also open_model_test.cc.
#include "runtime/onnx/read/order.h"

#include "runtime/support/limits.h"
#include "tests/runtime/onnx/read/fixture.h"

namespace fluid2onnx::test {
namespace {

using onnx::ModelProto;

/// x, c -> If -> y; the branches are empty.
ModelProto branch_model() {
  ModelProto model = empty_model();
  auto* graph = model.mutable_graph();
  declare(graph->add_input(), "c", {}, onnx::TensorProto::BOOL);
  declare(graph->add_input(), "x", {2});
  declare(graph->add_output(), "y", {2});
  auto& node = add_node(graph, "If", {"c"}, {"y"});
  for (const char* name : {"then_branch", "else_branch"}) {
    auto* attribute = node.add_attribute();
    attribute->set_name(name);
    attribute->set_type(onnx::AttributeProto::GRAPH);
    attribute->mutable_g()->set_name("g");
  }
  return model;
}

onnx::GraphProto* branch(ModelProto* model, int at) {
  return model->mutable_graph()->mutable_node(0)->mutable_attribute(at)->mutable_g();
}

}  // namespace

TEST_CASE("names and operands of ONNX files have a limit") {
  const auto message = [](const ModelProto& model) {
    const Error error = refused(model);
    CHECK(error.code() == E_BAD_PROGRAM);
    return error.message();
  };
  const std::string longest(limits::kNameBytes, 'n'), expected = "a name has 65537 bytes, expected at most 65536";
  ModelProto model = relu_model();
  model.mutable_graph()->mutable_node(0)->set_op_type(longest + "n");
  CHECK(message(model) == expected);
  model = relu_model();
  model.mutable_graph()->mutable_node(0)->add_output(longest + "n");
  CHECK(message(model) == expected);
  model = relu_model();
  model.mutable_graph()->mutable_node(0)->add_output(longest);
  CHECK(opened(model).model.graph().node(0).output_size() == 2);

  model = relu_model();
  auto* node = model.mutable_graph()->mutable_node(0);
  while (node->input_size() < static_cast<int>(limits::kOperands)) node->add_input("x");
  CHECK(opened(model).model.graph().node(0).input_size() == static_cast<int>(limits::kOperands));
  node->add_input("x");
  CHECK(message(model) == "node Relu has 65537 inputs, expected at most 65536");
}

TEST_CASE("operands and results without a name are absent") {
  ModelProto model = relu_model();
  auto* graph = model.mutable_graph();
  add_node(graph, "Clip", {"x", "", ""}, {"a"});
  add_node(graph, "Dropout", {"a"}, {"b", ""});
  add_node(graph, "Dropout", {"b"}, {"d", ""});
  CHECK(opened(model).model.graph().node_size() == 4);
}

TEST_CASE("a name instead of the result of a branch") {
  ModelProto model = branch_model();
  for (const int at : {0, 1}) branch(&model, at)->add_output()->set_name("x");
  CHECK(opened(model).model.graph().node_size() == 1);
  branch(&model, 1)->mutable_output(0)->set_name("nowhere");
  CHECK(refused(model).message() == "'nowhere' has no producer");
}

TEST_CASE("defaults of a body's inputs are no reason to warn") {
  ModelProto model = branch_model();
  for (const int at : {0, 1}) {
    onnx::GraphProto* graph = branch(&model, at);
    declare(graph->add_input(), "w", {2});
    *graph->add_initializer() = tensor("w", onnx::TensorProto::FLOAT, {2});
    graph->add_output()->set_name("w");
  }
  const OnnxFile onnx = opened(model);
  CHECK(onnx.warnings.empty());
  CHECK(onnx.model.graph().node(0).attribute(0).g().input_size() == 0);
}

TEST_CASE("a sparse constant is defined once, too") {
  ModelProto model = relu_model();
  auto* sparse = model.mutable_graph()->add_sparse_initializer();
  *sparse->mutable_values() = tensor("x", onnx::TensorProto::FLOAT, {0});
  *sparse->mutable_indices() = tensor("", onnx::TensorProto::INT64, {0});
  sparse->add_dims(4);
  const OnnxFile onnx = opened(model);
  CHECK(onnx.model.graph().input_size() == 0);
  CHECK(onnx.warnings.at(0) == "1 input with a default value ('x') are converted to constants");
  sparse->mutable_values()->set_name("y");
  CHECK(refused(model).message() == "'y' is defined twice");
}

TEST_CASE("nodes within a body are put in order") {
  ModelProto model = branch_model();
  for (const int at : {0, 1}) {
    onnx::GraphProto* graph = branch(&model, at);
    add_node(graph, "Exp", {"a"}, {"b"});
    add_node(graph, "Neg", {"x"}, {"a"});
    graph->add_output()->set_name("b");
  }
  CHECK(opened(model).model.graph().node(0).attribute(1).g().node(0).op_type() == "Neg");
  // One that waits for two, and reads one of them twice.
  ModelProto two = relu_model();
  auto* graph = two.mutable_graph();
  add_node(graph, "Sum", {"a", "b", "a"}, {"s"});
  add_node(graph, "Neg", {"x"}, {"a"});
  add_node(graph, "Exp", {"a"}, {"b"});
  CHECK(opened(two).model.graph().node(3).op_type() == "Sum");
}

}  // namespace fluid2onnx::test
