#include "runtime/onnx/read/nested_graphs.h"

#include <algorithm>

#include "tests/runtime/onnx/read/fixture.h"

namespace fluid2onnx::test {
namespace {

using Names = std::vector<std::string>;

onnx::GraphProto* add_graph(onnx::NodeProto* node) {
  auto* attribute = node->add_attribute();
  attribute->set_name("body");
  return attribute->mutable_g();
}

}  // namespace

TEST_CASE("a graph gives its inputs, its constants and the results of its nodes") {
  onnx::GraphProto graph;
  declare(graph.add_input(), "x", {2});
  *graph.add_initializer() = tensor("w", onnx::TensorProto::FLOAT, {2});
  graph.add_sparse_initializer()->mutable_values()->set_name("s");
  add_node(&graph, "TopK", {"x", "outer"}, {"", "indices"});
  CHECK(given_by(graph) == std::unordered_set<std::string>{"x", "w", "s", "indices"});
  CHECK(given_by({}).empty());
}

TEST_CASE("a node reads its operands and what its graphs read from outside") {
  onnx::GraphProto holder;
  auto& node = add_node(&holder, "If", {"c", "", "d"}, {"y"});
  onnx::GraphProto* body = add_graph(&node);
  declare(body->add_input(), "x", {2});
  auto& inner = add_node(body, "Loop", {"x", "outer"}, {"t"});
  onnx::GraphProto* innermost = add_graph(&inner);
  add_node(innermost, "Add", {"t", "deep"}, {"u"});
  innermost->add_output()->set_name("u");
  body->add_output()->set_name("t");
  body->add_output()->set_name("passed on");
  onnx::GraphProto* second = node.add_attribute()->add_graphs();
  add_node(second, "Neg", {"other"}, {"v"});
  CHECK(reads_of(node) == Names{"c", "d", "outer", "deep", "passed on", "other"});
  CHECK(reads_of({}).empty());
}

}  // namespace fluid2onnx::test
