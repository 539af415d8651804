#include "runtime/to_paddle/walk.h"

#include <doctest/doctest.h>

#include "runtime/support/refused.h"
#include "tests/runtime/to_paddle/make_graph.h"

using namespace fluid2onnx;

namespace {

/// y = Exp(Relu(x))
MakeGraph two_nodes() {
  MakeGraph m;
  m.input("x");
  m.node("Relu", {"x"}, {"h"});
  m.node("Exp", {"h"}, {"y"});
  m.output("y");
  return m;
}

}  // namespace

TEST_CASE("a walk visits the nodes of a graph in order") {
  MakeGraph m = two_nodes();
  ProgramBuilder builder;
  OnnxBinder binder(m.file, builder);
  OnnxProblems problems;
  const Value x = builder.model().add_input("x", m.graph().input(0).type());
  std::vector<std::string> visited;
  OnnxWalk walk(binder, problems, [&](const onnx::GraphProto&, const onnx::NodeProto& node, int index) {
    CHECK(index == static_cast<int>(visited.size()));
    visited.push_back(node.op_type());
    binder.bind(node.output(0), binder.operand(node.input(0)));
    if (node.op_type() == "Exp") problems.fail(node, index, 0, Refused(E_UNSUPPORTED, "no"), "");
  });
  CHECK(walk.run(m.graph(), {x}) == Values{x});
  CHECK(visited == std::vector<std::string>{"Relu", "Exp"});
  CHECK(problems.failing() == std::vector<int>{1});
  CHECK(binder.depth() == 0);
}

TEST_CASE("a walk gives the wanted outputs of a function") {
  MakeGraph m;
  onnx::FunctionProto function;
  for (const char* name : {"a", "left_out"}) function.add_input(name);
  for (const char* name : {"b", "c"}) function.add_output(name);
  onnx::NodeProto* node = function.add_node();
  node->set_op_type("Relu");
  node->add_input("a");
  node->add_output("c");
  onnx::NodeProto call;
  for (const char* name : {"", "result"}) call.add_output(name);
  ProgramBuilder builder;
  OnnxBinder binder(m.file, builder);
  OnnxProblems problems;
  const Value x = builder.model().new_value("x");
  OnnxWalk walk(binder, problems, [&](const onnx::GraphProto& graph, const onnx::NodeProto& inner, int) {
    CHECK(graph.node_size() == 0);
    CHECK(!binder.operand("left_out"));
    binder.bind(inner.output(0), binder.operand(inner.input(0)));
  });
  CHECK(walk.run(function, call, {x}) == Values{Value(), x});
}
