// Functions that cannot be inlined, and graphs in calls. See also open_model_test.cc.
#include "runtime/onnx/read/functions.h"

#include "runtime/support/limits.h"
#include "tests/runtime/onnx/read/fixture.h"

namespace fluid2onnx::test {
namespace {

using onnx::AttributeProto;
using onnx::ModelProto;

/// A function of "a" with result "b" and without nodes.
onnx::FunctionProto* add_function(ModelProto* model, const std::string& name) {
  auto* function = model->add_functions();
  function->set_name(name);
  function->set_domain("own");
  function->add_input("a");
  function->add_output("b");
  for (const auto& opset : model->opset_import()) *function->add_opset_import() = opset;
  return function;
}

/// x -> f -> y
ModelProto call_model() {
  ModelProto model = relu_model();
  auto* opset = model.add_opset_import();
  opset->set_domain("own");
  opset->set_version(1);
  auto* node = model.mutable_graph()->mutable_node(0);
  node->set_op_type("f");
  node->set_domain("own");
  return model;
}

/// An If with the condition "c" of the same graph: this operator, or Relu.
onnx::NodeProto& add_branch(onnx::FunctionProto* function, const std::string& op, const std::string& domain) {
  auto& node = add_node(function, "If", {"c"}, {"b"});
  for (const char* name : {"then_branch", "else_branch"}) {
    auto* graph = add_attribute(&node, name, AttributeProto::GRAPH)->mutable_g();
    graph->set_name(name);
    const bool first = graph->name() == "then_branch";
    add_node(graph, first ? op : "Relu", {"a"}, {std::string(name) + "_b"}).set_domain(first ? domain : "");
    graph->add_output()->set_name(std::string(name) + "_b");
  }
  return node;
}

}  // namespace

TEST_CASE("a function with branches is inlined") {
  ModelProto model = call_model();
  auto* function = add_function(&model, "f");
  add_node(function, "Cast", {"a"}, {"c"});
  add_attribute(function->mutable_node(0), "to", AttributeProto::INT)->set_i(onnx::TensorProto::BOOL);
  add_branch(function, "Relu", "");
  const OnnxFile onnx = opened(model);
  REQUIRE(onnx.model.graph().node_size() == 2);
  CHECK(onnx.model.graph().node(1).attribute(0).g().node(0).op_type() == "Relu");
  CHECK(onnx.model.graph().node(1).attribute(0).g().node(0).input(0) == "x");
}

TEST_CASE("graphs that calls nest have a limit") {
  const auto nested = [](int depth) {
    ModelProto model = call_model();
    for (int i = 0; i < depth; ++i) {
      auto* function = add_function(&model, i == 0 ? "f" : "f" + std::to_string(i));
      add_node(function, "Cast", {"a"}, {"c"});
      add_attribute(function->mutable_node(0), "to", AttributeProto::INT)->set_i(onnx::TensorProto::BOOL);
      const bool last = i + 1 == depth;
      add_branch(function, last ? "Relu" : "f" + std::to_string(i + 1), last ? "" : "own");
    }
    return model;
  };
  CHECK(opened(nested(3)).model.graph().node_size() == 2);
  const Error deep = refused(nested(limits::kGraphDepth + 1));
  CHECK(deep.code() == E_TOO_LARGE);
  CHECK(deep.message() == "graphs are nested more than 30 deep");
}

TEST_CASE("a graph that a call brings is copied to each of its places") {
  const auto with_places = [](int places, int calls) {
    ModelProto model = call_model();
    auto* function = add_function(&model, "f");
    function->add_attribute("body");
    add_node(function, "Cast", {"a"}, {"c"});
    add_attribute(function->mutable_node(0), "to", AttributeProto::INT)->set_i(onnx::TensorProto::BOOL);
    for (int i = 0; i < places; ++i) {
      auto& node = add_node(function, "If", {"c"}, {i == 0 ? "b" : "b" + std::to_string(i)});
      for (const char* name : {"then_branch", "else_branch"}) {
        add_attribute(&node, name, AttributeProto::GRAPH)->set_ref_attr_name("body");
      }
    }
    auto* graph = add_attribute(model.mutable_graph()->mutable_node(0), "body", AttributeProto::GRAPH)->mutable_g();
    graph->set_name("g");
    for (int i = 0; i < calls; ++i) add_node(graph, "Relu", {"x"}, {"r" + std::to_string(i)});
    graph->add_output()->set_name("r0");
    return model;
  };
  const OnnxFile onnx = opened(with_places(2, 1));
  CHECK(onnx.model.graph().node_size() == 3);
  CHECK(onnx.model.graph().node(2).attribute(1).g().node(0).op_type() == "Relu");
  const Error many = refused(with_places(2000, 2000));
  CHECK(many.code() == E_TOO_LARGE);
  CHECK(many.message() == "the model's functions expand to more than 5000000 nodes, or are nested too deeply");
}

TEST_CASE("places for graphs of a call that are copied themselves") {
  // Each function has two calls of the next, and passes its graph on to both.
  ModelProto model = call_model();
  constexpr int kCount = 30;
  for (int i = 0; i < kCount; ++i) {
    auto* function = add_function(&model, i == 0 ? "f" : "f" + std::to_string(i));
    function->add_attribute("body");
    for (const char* result : {"b", "d"}) {
      auto& call = add_node(function, "f" + std::to_string(i + 1), {"a"}, {result});
      call.set_domain(i + 1 == kCount ? "" : "own");
      add_attribute(&call, "body", AttributeProto::GRAPH)->set_ref_attr_name("body");
    }
  }
  CHECK(refused(model).code() == E_TOO_LARGE);
}

TEST_CASE("functions whose attributes have graphs as defaults") {
  ModelProto model = call_model();
  auto* function = add_function(&model, "f");
  add_node(function, "Relu", {"a"}, {"b"});
  auto* usual = function->add_attribute_proto();
  usual->set_name("body");
  SUBCASE("one") {
    usual->set_type(AttributeProto::GRAPH);
    usual->mutable_g()->set_name("g");
  }
  SUBCASE("a list") {
    usual->set_type(AttributeProto::GRAPHS);
    usual->add_graphs()->set_name("g");
  }
  const Error error = refused(model);
  CHECK(error.code() == E_UNSUPPORTED);
  CHECK(error.message() == "function 'f' has a graph as the default of its attribute 'body'");
  CHECK(error.hint() == "set the attribute in each call of the function, or inline the function first");
}

TEST_CASE("the reason why a function cannot be inlined") {
  ModelProto model = call_model();
  auto* function = add_function(&model, "f");
  add_node(function, "Relu", {"a"}, {"b"});
  SUBCASE("the default domain has two names") {
    function->mutable_opset_import(0)->set_domain("ai.onnx");
    function->mutable_opset_import(0)->set_version(9);
    CHECK(refused(model).message() == "function 'f' cannot be inlined: it is written for opset 9, the model for 17");
  }
  SUBCASE("domains of the function only are no reason") {
    auto* opset = function->add_opset_import();
    opset->set_domain("third");
    opset->set_version(3);
    const OnnxFile onnx = opened(model);
    CHECK(onnx.model.graph().node(0).op_type() == "Relu");
    function->mutable_opset_import(0)->set_version(9);
    CHECK(refused(model).message() == "function 'f' cannot be inlined: it is written for opset 9, the model for 17");
  }
  SUBCASE("more operands than the function has") {
    model.mutable_graph()->mutable_node(0)->add_input("x");
    const Error error = refused(model);
    CHECK(error.code() == E_BAD_PROGRAM);
    CHECK(error.message().starts_with("the model's functions cannot be inlined: "));
  }
}

}  // namespace fluid2onnx::test
