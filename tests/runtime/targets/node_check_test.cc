#include "runtime/targets/node_check.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

using namespace fluid2onnx;
using Kind = TargetProblemKind;

namespace {

/// A node with the types of its values. The facts are those of opspecs/targets.
struct NodeCase : NodeValues {
  onnx::NodeProto node;
  std::map<std::string, onnx::TypeProto, std::less<>> types;
  std::vector<std::string> constants;

  explicit NodeCase(const char* op) { node.set_op_type(op); }

  NodeCase& value(const std::string& name, Dtype dtype, int rank, bool constant = false) {
    auto* tensor = types[name].mutable_tensor_type();
    tensor->set_elem_type(static_cast<int>(dtype));
    for (int i = 0; i < rank; ++i) tensor->mutable_shape()->add_dim()->set_dim_value(2);
    if (constant) constants.push_back(name);
    return *this;
  }
  NodeCase& operand(const std::string& name, Dtype dtype = Dtype::float32, int rank = 2, bool constant = false) {
    node.add_input(name);
    return name.empty() ? *this : value(name, dtype, rank, constant);
  }
  NodeCase& result(const std::string& name, Dtype dtype = Dtype::float32, int rank = 2) {
    node.add_output(name);
    return name.empty() ? *this : value(name, dtype, rank);
  }
  NodeCase& attribute(const std::string& name, int64_t number) {
    auto* attribute = node.add_attribute();
    attribute->set_name(name);
    attribute->set_type(onnx::AttributeProto::INT);
    attribute->set_i(number);
    return *this;
  }
  NodeCase& attribute(const std::string& name, const std::string& text) {
    auto* attribute = node.add_attribute();
    attribute->set_name(name);
    attribute->set_type(onnx::AttributeProto::STRING);
    attribute->set_s(text);
    return *this;
  }

  const onnx::TypeProto* operand_type(const onnx::NodeProto&, int i) const override { return type(node.input(i)); }
  const onnx::TypeProto* result_type(const onnx::NodeProto&, int i) const override { return type(node.output(i)); }
  const onnx::TypeProto* type(const std::string& name) const {
    const auto found = types.find(name);
    return found == types.end() ? nullptr : &found->second;
  }
  bool is_constant(const onnx::NodeProto&, int i) const override {
    return std::find(constants.begin(), constants.end(), node.input(i)) != constants.end();
  }

  struct Problem {
    Kind kind;
    std::string message, hint;
  };
  std::vector<Problem> problems(const char* target, int opset = 17) const {
    std::vector<Problem> found;
    check_node(find_target(target), opset, node, *this,
               [&](Kind kind, const std::string& message, const std::string& hint) {
                 found.push_back({kind, message, hint});
               });
    return found;
  }
  /// The only problem.
  Problem problem(const char* target, int opset = 17) const {
    const std::vector<Problem> found = problems(target, opset);
    REQUIRE(found.size() == 1);
    return found.front();
  }
};

}  // namespace

TEST_CASE("operators without facts, constants and operators of accepted domains are not judged") {
  for (const char* target : {"rknn", "coreml", "qnn", "ascend"}) {
    CHECK(NodeCase("Constant").result("y").problems(target).empty());
  }
  CHECK(NodeCase("Erf").operand("x").result("y").problems("qnn").empty());
  CHECK(NodeCase("Bernoulli").operand("x").result("y").problems("mnn").empty());
  NodeCase domain("Gelu");
  domain.node.set_domain("com.microsoft");
  domain.operand("x").result("y");
  CHECK(domain.problems("onnxruntime").empty());
  CHECK(domain.problem("mnn").kind == Kind::domain);
  CHECK(domain.problem("mnn").message == "operators of the domain 'com.microsoft' are not supported");
}

TEST_CASE("an operator that the target does not have is refused") {
  const NodeCase loop = NodeCase("Loop").operand("n").operand("c").result("y");
  CHECK(loop.problem("ncnn").kind == Kind::op);
  CHECK(loop.problem("ncnn").message == "the operator is not supported");
}

TEST_CASE("a form of another opset is refused") {
  const NodeCase norm = NodeCase("ReduceL1").operand("x").result("y").attribute("keepdims", 1);
  CHECK(norm.problems("mnn", 17).empty());
  const auto problem = norm.problem("mnn", 18);
  CHECK(problem.kind == Kind::opset);
  CHECK(problem.message == "not supported in the form of opset 18");
  CHECK(problem.hint == "the forms of opsets 7 to 17 are supported: convert with --opset");
}

TEST_CASE("a dtype of an operand or a result is refused") {
  const NodeCase less = NodeCase("Less").operand("a").operand("b").result("y", Dtype::bool_);
  const auto problem = less.problem("mnn");
  CHECK(problem.kind == Kind::dtype);
  CHECK(problem.message == "'A' in float32 is not supported");
  CHECK(problem.hint.starts_with("supported: bfloat16, float16, float64, "));
  CHECK(NodeCase("Less").operand("a", Dtype::int64).operand("b", Dtype::int64).result("y").problems("mnn").empty());
  // Nothing is known of the operands.
  NodeCase unknown("Less");
  unknown.node.add_input("a");
  unknown.node.add_input("b");
  CHECK(unknown.problems("mnn").empty());
}

TEST_CASE("an attribute is refused, given or by default") {
  const NodeCase norm = NodeCase("ReduceL2").operand("x").result("y");
  CHECK(norm.problems("mnn").empty());  // keepdims is 1
  const auto problem = NodeCase(norm).attribute("keepdims", 0).problem("mnn");
  CHECK(problem.kind == Kind::attribute);
  CHECK(problem.message == "'keepdims' = 0 is not supported");
  CHECK(problem.hint == "supported: 1");
  const NodeCase pad = NodeCase("Pad").operand("x").operand("p", Dtype::int64, 1, true).result("y");
  CHECK(pad.problems("mnn").empty());
  CHECK(NodeCase(pad).attribute("mode", "wrap").problem("mnn", 19).message == "'mode' = wrap is not supported");
}

TEST_CASE("a rank is refused") {
  const auto problem = NodeCase("LogSoftmax").operand("x", Dtype::float32, 2).result("y").problem("mnn");
  CHECK(problem.kind == Kind::rank);
  CHECK(problem.message == "'input' with rank 2 is not supported");
  CHECK(problem.hint == "supported: 3");
  CHECK(NodeCase("LogSoftmax").operand("x", Dtype::float32, 3).result("y").problems("mnn").empty());
}

TEST_CASE("an operand must be a constant") {
  const auto gather = [](bool constant, int rank) {
    return NodeCase("Gather").operand("x").operand("i", Dtype::int64, rank, constant).result("y");
  };
  CHECK(gather(true, 0).problems("ncnn").empty());
  CHECK(gather(true, 1).problem("ncnn").kind == Kind::rank);
  const auto problem = gather(false, 0).problem("ncnn");
  CHECK(problem.kind == Kind::constant);
  CHECK(problem.message == "'indices' is not a constant");
}

TEST_CASE("an operand or a result is not supported") {
  NodeCase lstm = NodeCase("LSTM").operand("x").operand("w").operand("r").operand("b");
  CHECK(NodeCase(lstm).result("y").problems("mnn").empty());
  const auto problem = NodeCase(lstm).operand("n", Dtype::int32, 1).result("y").problem("mnn");
  CHECK(problem.kind == Kind::port);
  CHECK(problem.message == "the operand 'sequence_lens' is not supported");
  const NodeCase pool = NodeCase("MaxPool").operand("x", Dtype::float32, 4).result("y", Dtype::float32, 4);
  CHECK(pool.problems("mnn").empty());
  CHECK(NodeCase(pool).result("i", Dtype::int64, 4).problem("mnn").message == "the result 'Indices' is not supported");
}

TEST_CASE("advice of the facts follows each problem") {
  NodeCase roi = NodeCase("RoiAlign").operand("x").operand("rois").operand("i", Dtype::int64, 1).result("y");
  CHECK(roi.problems("rknn").empty());
  CHECK(roi.attribute("mode", "max").problem("rknn").hint == "supported: avg; only batch size 1");
  const NodeCase gather = NodeCase("Gather").operand("x", Dtype::float64).operand("i", Dtype::int64, 1).result("y");
  CHECK(gather.problem("ascend").hint.ends_with("uint8; indices must not be negative"));
  const NodeCase split = NodeCase("Split").operand("x", Dtype::float32, 2).operand("s", Dtype::int64, 1).result("y");
  CHECK(split.problem("coreml").hint.ends_with("; at least two results"));
}
