#include "runtime/onnx/read/infer_types.h"

#include <functional>

#include "runtime/support/dtype.h"
#include "tests/runtime/onnx/read/fixture.h"

namespace fluid2onnx::test {
namespace {

using onnx::ModelProto;
using onnx::TensorProto;

/// "float32[2,N,?]", or "?".
std::string text(const TypesByName& types, const std::string& name) {
  const auto found = types.find(name);
  if (found == types.end()) return "?";
  const auto& tensor = found->second.tensor_type();
  std::string result(dtype_name(static_cast<Dtype>(tensor.elem_type())));
  if (!tensor.has_shape()) return result;
  result += "[";
  for (int i = 0; i < tensor.shape().dim_size(); ++i) {
    const auto& dim = tensor.shape().dim(i);
    result += (i ? "," : "") + (dim.has_dim_value()   ? std::to_string(dim.dim_value())
                                : dim.has_dim_param() ? dim.dim_param()
                                                      : "?");
  }
  return result + "]";
}

struct Inferred {
  explicit Inferred(const ModelProto& model) {
    const TemporaryFolder folder;
    onnx = open_onnx(folder.write("m.onnx", model.SerializeAsString()));
    types = infer_types(onnx);
  }
  std::string operator()(const std::string& name) { return text(types[&onnx.model.graph()], name); }

  OnnxFile onnx;
  GraphTypes types;
};

TensorProto int64s(const std::string& name, const std::vector<int64_t>& elements) {
  TensorProto proto = tensor(name, TensorProto::INT64, {static_cast<int64_t>(elements.size())});
  proto.set_raw_data(bytes_of(elements));
  return proto;
}

onnx::GraphProto* add_body(onnx::NodeProto* node, const std::string& name) {
  return add_attribute(node, name, onnx::AttributeProto::GRAPH)->mutable_g();
}

/// With input "x" of these dims.
ModelProto model_with_x(const std::vector<int64_t>& dims = {2, 3}) {
  ModelProto model = empty_model();
  declare(model.mutable_graph()->add_input(), "x", dims);
  return model;
}

}  // namespace

TEST_CASE("a damaged length makes no axes") {
  ModelProto model = empty_model();
  auto* graph = model.mutable_graph();
  declare(graph->add_input(), "x", {1});
  declare(graph->add_input(), "sizes", {int64_t{1} << 31});
  graph->mutable_input(1)->mutable_type()->mutable_tensor_type()->set_elem_type(TensorProto::INT64);
  add_node(graph, "Expand", {"x", "sizes"}, {"y"});
  add_node(graph, "ConstantOfShape", {"sizes"}, {"z"});
  Inferred types(model);
  CHECK(types("y") == "?");
  CHECK(types("z") == "?");
}

TEST_CASE("types follow the nodes, and elements of shapes") {
  ModelProto model = empty_model();
  auto* graph = model.mutable_graph();
  declare(graph->add_input(), "x", {-1, 6});
  graph->mutable_input(0)->mutable_type()->mutable_tensor_type()->mutable_shape()->mutable_dim(0)->set_dim_param("N");
  *graph->add_initializer() = int64s("zero", {0});
  *graph->add_initializer() = int64s("rest", {2, 3});
  add_node(graph, "Shape", {"x"}, {"s"});
  add_node(graph, "Gather", {"s", "zero"}, {"n"});
  auto* axis = add_node(graph, "Concat", {"n", "rest"}, {"to"}).add_attribute();
  axis->set_name("axis");
  axis->set_type(onnx::AttributeProto::INT);
  axis->set_i(0);
  add_node(graph, "Reshape", {"x", "to"}, {"y"});
  declare(graph->add_output(), "y", {-1, -1, -1});
  Inferred types(model);
  CHECK(types("zero") == "int64[1]");
  CHECK(types("s") == "int64[2]");
  CHECK(types("y") == "float32[N,2,3]");
}

TEST_CASE("a part of a shape from an unknown start is unknown") {
  ModelProto model = empty_model();
  auto* graph = model.mutable_graph();
  declare(graph->add_input(), "x", {3, 4});
  declare(graph->add_input(), "from", {1});
  graph->mutable_input(1)->mutable_type()->mutable_tensor_type()->set_elem_type(TensorProto::INT64);
  *graph->add_initializer() = int64s("zero", {0});
  *graph->add_initializer() = int64s("one", {1});
  *graph->add_initializer() = int64s("two", {2});
  add_node(graph, "Shape", {"x"}, {"s"});
  add_node(graph, "Slice", {"s", "zero", "one"}, {"known"});
  add_node(graph, "Slice", {"s", "from", "two"}, {"part"});
  add_node(graph, "ConstantOfShape", {"known"}, {"y"});
  add_node(graph, "ConstantOfShape", {"part"}, {"z"});
  Inferred types(model);
  CHECK(types("y") == "float32[3]");
  CHECK(types("z") == "float32");
}

TEST_CASE("a step of 64 bits stays within the shape") {
  for (const int64_t step : {INT64_MIN + 1, INT64_MIN, INT64_MAX, (int64_t{1} << 32) - 1, -(int64_t{1} << 32) + 1}) {
    CAPTURE(step);
    ModelProto model = empty_model();
    auto* graph = model.mutable_graph();
    declare(graph->add_input(), "x", {3, 4});
    *graph->add_initializer() = int64s("from", {step < 0 ? INT64_MAX : 0});
    *graph->add_initializer() = int64s("to", {step < 0 ? INT64_MIN : INT64_MAX});
    *graph->add_initializer() = int64s("axis", {0});
    *graph->add_initializer() = int64s("step", {step});
    add_node(graph, "Shape", {"x"}, {"s"});
    add_node(graph, "Slice", {"s", "from", "to", "axis", "step"}, {"part"});
    add_node(graph, "ConstantOfShape", {"part"}, {"y"});
    Inferred types(model);
    CHECK(types("y") == (step < 0 ? "float32[4]" : "float32[3]"));
  }
}

TEST_CASE("types that cannot be inferred are as declared, or unknown") {
  ModelProto model = relu_model();
  auto* graph = model.mutable_graph();
  for (const char* op : {"NoSuchOperator", "Softmax"}) {
    auto& node = add_node(graph, op, {"x"}, {std::string("of ") + op});
    if (node.op_type() == "NoSuchOperator") node.set_domain("nowhere");
  }
  add_node(graph, "Another", {"x"}, {"unknown"});
  add_node(graph, "Conv", {}, {"wrong"});
  declare(graph->add_value_info(), "of NoSuchOperator", {7}, TensorProto::INT32);
  Inferred types(model);
  CHECK(types("y") == "float32[?]");
  CHECK(types("of NoSuchOperator") == "int32[7]");
  CHECK(types("unknown") == "?");
  CHECK(types("wrong") == "?");
}

TEST_CASE("bodies see the values around them") {
  ModelProto model = empty_model();
  auto* graph = model.mutable_graph();
  declare(graph->add_input(), "c", {}, TensorProto::BOOL);
  declare(graph->add_input(), "x", {2, 3});
  auto& node = add_node(graph, "If", {"c"}, {"y"});
  for (const char* name : {"then_branch", "else_branch"}) {
    auto* attribute = node.add_attribute();
    attribute->set_name(name);
    attribute->set_type(onnx::AttributeProto::GRAPH);
    add_node(attribute->mutable_g(), "Transpose", {"x"}, {"t"});
    attribute->mutable_g()->add_output()->set_name("t");
  }
  Inferred types(model);
  CHECK(types("y") == "float32[3,2]");
  CHECK(text(types.types[&types.onnx.model.graph().node(0).attribute(0).g()], "t") == "float32[3,2]");
}

TEST_CASE("absurd sizes take no memory") {
  ModelProto model = empty_model();
  auto* graph = model.mutable_graph();
  declare(graph->add_input(), "x", {int64_t{1} << 60}, TensorProto::INT64);
  add_node(graph, "Add", {"x", "x"}, {"y"});
  add_node(graph, "ConstantOfShape", {"y"}, {"z"});
  add_node(graph, "Expand", {"z", "x"}, {"w"});
  Inferred types(model);
  CHECK(types("y") == "int64[1152921504606846976]");
}

TEST_CASE("the sizes that an operator reads may be anything") {
  ModelProto model = model_with_x({1});
  auto* graph = model.mutable_graph();
  declare(graph->add_input(), "matrix", {2, 2}, TensorProto::INT64);
  declare(graph->add_input(), "two", {2}, TensorProto::INT64);
  graph->add_input()->set_name("untyped");
  auto* list = graph->add_input();
  list->set_name("list");
  list->mutable_type()->mutable_sequence_type()->mutable_elem_type()->mutable_tensor_type()->set_elem_type(7);
  add_node(graph, "ConstantOfShape", {}, {"a"});
  for (const char* sizes : {"matrix", "untyped", "list", "two"}) {
    add_node(graph, "ConstantOfShape", {sizes}, {std::string("of ") + sizes});
  }
  Inferred types(model);
  for (const char* wrong : {"a", "of matrix", "of list", "of untyped"}) CHECK(types(wrong) == "float32");
  CHECK(types("of two") == "float32[?,?]");
  CHECK(types("untyped") == "?");
}

TEST_CASE("constants of each kind are known sizes") {
  ModelProto model = model_with_x({6});
  auto* graph = model.mutable_graph();
  using A = onnx::AttributeProto;
  const auto constant = [&](const char* name) { return &add_node(graph, "Constant", {}, {name}); };
  *add_attribute(constant("tensor"), "value", A::TENSOR)->mutable_t() = int64s("", {2, 3});
  auto* ints = add_attribute(constant("ints"), "value_ints", A::INTS);
  for (const int64_t i : {3, 2}) ints->add_ints(i);
  add_attribute(constant("int"), "value_int", A::INT)->set_i(6);
  add_attribute(constant("float"), "value_float", A::FLOAT)->set_f(6);
  *add_attribute(constant("large"), "value", A::TENSOR)->mutable_t() = int64s("", std::vector<int64_t>(200, 1));
  *graph->add_initializer() = int64s("large initializer", std::vector<int64_t>(200, 1));
  add_attribute(constant("no tensor"), "value", A::INT)->set_i(1);
  auto* foreign = constant("foreign");
  foreign->set_domain("nowhere");
  add_attribute(foreign, "value_ints", A::INTS)->add_ints(6);
  auto* two = constant("first");
  two->add_output("second");
  add_attribute(two, "value_ints", A::INTS)->add_ints(6);
  add_node(graph, "Reshape", {"x", "tensor"}, {"a"});
  add_node(graph, "Reshape", {"x", "ints"}, {"b"});
  add_node(graph, "ConstantOfShape", {"ints"}, {"c"});
  for (const char* unknown : {"foreign", "first", "no tensor"}) {
    add_node(graph, "Reshape", {"x", unknown}, {std::string("by ") + unknown});
  }
  Inferred types(model);
  CHECK(types("a") == "float32[2,3]");
  CHECK(types("b") == "float32[3,2]");
  CHECK(types("c") == "float32[3,2]");
  CHECK(types("int") == "int64[]");
  CHECK(types("float") == "float32[]");
  CHECK(types("large") == "int64[200]");
  CHECK(types("large initializer") == "int64[200]");
  CHECK(types("by foreign") == "float32");
  CHECK(types("by no tensor") == "float32");
  CHECK(types("by first") == "float32[?]");  // one size, whose value is unknown
}

TEST_CASE("elements of constants that are no vectors of integers") {
  ModelProto model = model_with_x({4, 5});
  auto* graph = model.mutable_graph();
  TensorProto index = tensor("int32", TensorProto::INT32, {1});
  index.add_int32_data(1);
  *graph->add_initializer() = index;
  index = tensor("matrix", TensorProto::INT64, {1, 1});
  index.add_int64_data(1);
  *graph->add_initializer() = index;
  add_node(graph, "Shape", {"x"}, {"s"});
  for (const char* indices : {"int32", "matrix"}) {
    add_node(graph, "Gather", {"s", indices}, {std::string("at ") + indices});
    add_node(graph, "ConstantOfShape", {std::string("at ") + indices}, {std::string("of ") + indices});
  }
  Inferred types(model);
  CHECK(types("of int32") == "float32[5]");
  CHECK(types("at matrix") == "int64[1,1]");
  CHECK(types("of matrix") == "float32");
}

TEST_CASE("sparse constants have the type of their values") {
  ModelProto model = model_with_x();
  auto* sparse = model.mutable_graph()->add_sparse_initializer();
  *sparse->mutable_values() = tensor("w", TensorProto::DOUBLE, {1});
  sparse->mutable_values()->add_double_data(1);
  *sparse->mutable_indices() = int64s("", {0});
  sparse->add_dims(4);
  add_node(model.mutable_graph(), "Neg", {"w"}, {"y"});
  Inferred types(model);
  CHECK(types("y") == "float64[4]");
}

TEST_CASE("declarations complete what inference finds") {
  ModelProto model = model_with_x({-1, -1});
  auto* graph = model.mutable_graph();
  declare(graph->add_input(), "sizes", {-1}, TensorProto::INT64);
  for (const char* name : {"shape", "none", "list", "rank", "names", "kept"}) {
    if (std::string(name) == "shape" || std::string(name) == "none") {
      add_node(graph, "Reshape", {"x", "sizes"}, {name});
    } else {
      add_node(graph, "Relu", {"x"}, {name});
    }
  }
  declare(graph->add_value_info(), "shape", {7, 8});
  auto* none = graph->add_value_info();
  none->set_name("none");
  none->mutable_type()->mutable_tensor_type()->set_elem_type(TensorProto::FLOAT);
  auto* list = graph->add_value_info();
  list->set_name("list");
  list->mutable_type()->mutable_sequence_type();
  declare(graph->add_value_info(), "rank", {7});
  for (const char* name : {"names", "kept"}) {
    auto* named = graph->add_value_info();
    declare(named, name, {-1, -1});
    named->mutable_type()->mutable_tensor_type()->mutable_shape()->mutable_dim(0)->set_dim_param("N");
  }
  Inferred types(model);
  CHECK(types("shape") == "float32[7,8]");
  CHECK(types("none") == "float32");
  CHECK(types("list") == "float32[?,?]");
  CHECK(types("rank") == "float32[?,?]");
  CHECK(types("names") == "float32[N,?]");
}

TEST_CASE("a sequence has no dims to complete") {
  ModelProto model = model_with_x();
  auto* graph = model.mutable_graph();
  add_node(graph, "SequenceConstruct", {"x"}, {"s"});
  declare(graph->add_value_info(), "s", {2});
  add_node(graph, "SequenceAt", {"s", "i"}, {"y"});
  declare(graph->add_input(), "i", {}, TensorProto::INT64);
  Inferred types(model);
  CHECK(types("y") == "float32[2,3]");
}

TEST_CASE("operators that are functions have the types of their bodies") {
  ModelProto model = model_with_x({2, 3, 4, 5});
  add_node(model.mutable_graph(), "MeanVarianceNormalization", {"x"}, {"y"});
  CHECK(Inferred(model)("y") == "float32[2,3,4,5]");
}

TEST_CASE("operands and results that are absent have no type") {
  ModelProto model = model_with_x();
  auto* graph = model.mutable_graph();
  add_node(graph, "Clip", {"x", "", ""}, {"a"});
  add_node(graph, "Dropout", {"x"}, {"b", ""});
  add_node(graph, "TopK", {"x", ""}, {"", "c"});
  auto& resize = add_node(graph, "Resize", {"x", "", "scales"}, {"d"});
  add_attribute(&resize, "mode", onnx::AttributeProto::STRING)->set_s("nearest");
  TensorProto scales = tensor("scales", TensorProto::FLOAT, {2});
  for (const float scale : {2.f, 3.f}) scales.add_float_data(scale);
  *graph->add_initializer() = scales;
  Inferred types(model);
  CHECK(types("a") == "float32[2,3]");
  CHECK(types("b") == "float32[2,3]");
  CHECK(types("d") == "float32[4,9]");
  CHECK(types("") == "?");
}

TEST_CASE("results of bodies may come from outside, or be declared only") {
  ModelProto model = model_with_x();
  auto* graph = model.mutable_graph();
  declare(graph->add_input(), "c", {}, TensorProto::BOOL);
  const auto branch = [&](const char* result, const std::function<void(onnx::GraphProto*)>& fill) {
    auto& node = add_node(graph, "If", {"c"}, {result});
    for (const char* name : {"then_branch", "else_branch"}) fill(add_body(&node, name));
  };
  branch("outer", [](auto* body) { body->add_output()->set_name("x"); });
  branch("declared", [](auto* body) {
    add_node(body, "Unknown", {"x"}, {"u"});
    declare(body->add_output(), "u", {5});
  });
  branch("untyped", [](auto* body) {
    add_node(body, "Unknown", {"x"}, {"u"});
    body->add_output()->set_name("u");
  });
  auto& half = add_node(graph, "If", {"c"}, {"half"});
  add_body(&half, "then_branch")->add_output()->set_name("x");
  auto& wrong = add_node(graph, "If", {"c"}, {"wrong"});
  add_body(&wrong, "then_branch")->add_output()->set_name("x");
  add_attribute(&wrong, "else_branch", onnx::AttributeProto::INT)->set_i(1);
  Inferred types(model);
  CHECK(types("outer") == "float32[2,3]");
  CHECK(types("declared") == "float32[5]");
  CHECK(types("untyped") == "?");
  CHECK(types("wrong") == types("half"));
}

TEST_CASE("bodies see constants around them, except those that they hide") {
  ModelProto model = model_with_x({6});
  auto* graph = model.mutable_graph();
  declare(graph->add_input(), "c", {}, TensorProto::BOOL);
  *graph->add_initializer() = int64s("to", {2, 3});
  *graph->add_initializer() = int64s("count", {4});
  add_node(graph, "Shape", {"x"}, {"s"});
  auto& node = add_node(graph, "If", {"c"}, {"y", "z"});
  for (const char* name : {"then_branch", "else_branch"}) {
    onnx::GraphProto* body = add_body(&node, name);
    add_node(body, "Reshape", {"x", "to"}, {"r"});
    add_node(body, "ConstantOfShape", {"s"}, {"t"});
    body->add_output()->set_name("r");
    body->add_output()->set_name("t");
  }
  auto& loop = add_node(graph, "Loop", {"count", "c", "s"}, {"last", "all"});
  onnx::GraphProto* body = add_body(&loop, "body");
  declare(body->add_input(), "i", {}, TensorProto::INT64);
  declare(body->add_input(), "go", {}, TensorProto::BOOL);
  declare(body->add_input(), "to", {1}, TensorProto::INT64);  // hides the constant
  declare(body->add_input(), "more", {9});                    // the loop has no value for it
  add_node(body, "ConstantOfShape", {"to"}, {"o"});
  add_node(body, "Identity", {"to"}, {"next"});
  add_node(body, "Neg", {"more"}, {"negated"});
  for (const char* result : {"go", "next", "o"}) body->add_output()->set_name(result);
  Inferred types(model);
  CHECK(types("y") == "float32[2,3]");
  CHECK(types("z") == "float32[6]");
  const auto& inner = types.types[&types.onnx.model.graph().node(2).attribute(0).g()];
  CHECK(text(inner, "o") == "float32");
  CHECK(text(inner, "negated") == "float32[9]");
}

TEST_CASE("bodies of unknown operators have types, too") {
  ModelProto model = model_with_x();
  auto& node = add_node(model.mutable_graph(), "Unknown", {"x"}, {"y"});
  onnx::GraphProto* one = add_body(&node, "body");
  add_node(one, "Transpose", {"x"}, {"t"});
  one->add_input()->set_name("untyped");
  add_node(add_attribute(&node, "bodies", onnx::AttributeProto::GRAPHS)->add_graphs(), "Neg", {"x"}, {"n"});
  Inferred types(model);
  const auto& attributes = types.onnx.model.graph().node(0).attribute();
  CHECK(text(types.types[&attributes[0].g()], "t") == "float32[3,2]");
  CHECK(text(types.types[&attributes[0].g()], "untyped") == "?");
  CHECK(text(types.types[&attributes[1].graphs(0)], "n") == "float32[2,3]");
}

}  // namespace fluid2onnx::test
