#include "runtime/onnx/read/infer_types.h"

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
    const Folder folder;
    onnx = open_onnx(folder.write("m.onnx", model));
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

}  // namespace fluid2onnx::test
