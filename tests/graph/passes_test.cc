#include "runtime/graph/passes/passes.h"

#include <doctest/doctest.h>

#include "tests/graph/fixture.h"

using namespace fluid2onnx;
using test::Bench;

TEST_CASE("nodes and results that nobody reads go") {
  Bench b;
  const Value x = b.input("x", Dtype::float32, {"1", "3", "8", "8"});
  const Value y = b.emitter.emit_one("Relu", {x});
  b.emitter.emit_one("Sigmoid", {b.emitter.emit_one("Tanh", {y})});
  const Values pooled = b.emitter.emit("MaxPool", {y}, {Attr("kernel_shape", Ints{2, 2})}, 2);
  b.emitter.add_output(pooled[0], "out");
  run_passes(b.model);
  CHECK(b.nodes() == "Relu MaxPool");
  CHECK(b.model.node(b.model.main().nodes[1]).outputs.size() == 1);
}

TEST_CASE("what only a body reads stays") {
  Bench b;
  auto op = b.context();
  const Value x = b.input("x", Dtype::float32, {"2"});
  const Value y = op.node("Relu", {x}, {}, 1)[0];
  const Value w = b.model.add_parameter("w", Tensor(Dtype::float32, {2}, std::vector<uint8_t>(8)));
  b.model.add_parameter("unused", Tensor(Dtype::float32, {2}, std::vector<uint8_t>(8)));
  const Values result = op.loop(3, {}, {x}, [&](Value, const Values& carried) {
    op.node("Tanh", {carried[0]}, {}, 1);
    return LoopTurn{{}, {op.node("Sum", {carried[0], y, w}, {}, 1)[0]}, {}};
  });
  b.emitter.add_output(result[0], "out");
  run_passes(b.model);
  CHECK(b.nodes() == "Relu Loop");
  CHECK(b.nodes(1) == "Sum Identity");
  for (const Value v : b.model.main().initializers) CHECK(b.model[v].name != "unused");
}

TEST_CASE("casts that undo each other go") {
  Bench b;
  const Value x = b.input("x", Dtype::int32, {"2"});
  const Value back = b.emitter.cast(b.emitter.cast(x, Dtype::int64), Dtype::int32);
  b.emitter.add_output(b.emitter.emit_one("Abs", {back}), "a");
  const Value lossy = b.emitter.cast(b.emitter.cast(x, Dtype::float32), Dtype::int32);
  b.emitter.add_output(b.emitter.emit_one("Abs", {lossy}), "b");
  run_passes(b.model);
  CHECK(b.nodes() == "Abs Cast Cast Abs");
}

TEST_CASE("transpositions that undo each other go") {
  Bench b;
  const Value x = b.input("x", Dtype::float32, {"1", "3", "8", "9"});
  const auto transpose = [&](Value v, Ints perm) { return b.emitter.emit_one("Transpose", {v}, {Attr("perm", perm)}); };
  Value v = transpose(x, {0, 2, 3, 1});
  v = b.emitter.emit_one("Sigmoid", {b.emitter.emit_one("Relu", {v})});
  v = transpose(v, {0, 3, 1, 2});
  b.emitter.add_output(b.emitter.emit_one("Tanh", {v}), "out");
  run_passes(b.model);
  CHECK(b.nodes() == "Relu Sigmoid Tanh");
  CHECK(b.type(b.model.node(b.model.main().nodes[0]).outputs[0]) == "float32[1,3,8,9]");
}

TEST_CASE("transpositions in a row become one, unless others read between") {
  Bench b;
  const Value x = b.input("x", Dtype::float32, {"1", "3", "8", "9"});
  const auto transpose = [&](Value v, Ints perm) { return b.emitter.emit_one("Transpose", {v}, {Attr("perm", perm)}); };
  const Value first = transpose(x, {0, 2, 3, 1});
  b.emitter.add_output(transpose(first, {0, 2, 3, 1}), "out");
  const Value relu = b.emitter.emit_one("Relu", {transpose(x, {1, 0, 2, 3})});
  b.emitter.add_output(relu, "both");
  b.emitter.add_output(b.emitter.emit_one("Abs", {transpose(relu, {1, 0, 2, 3})}), "kept");
  run_passes(b.model);
  CHECK(b.nodes() == "Transpose Transpose Relu Transpose Abs");
  const auto& perm = b.model.node(b.model.main().nodes[0]).attributes[0].ints();
  CHECK(Ints(perm.begin(), perm.end()) == Ints{0, 3, 1, 2});
  CHECK(b.type(b.model.main().outputs[0]) == "float32[1,9,3,8]");
}

TEST_CASE("equal constants become one") {
  Bench b;
  const Value x = b.input("x", Dtype::float32, {"600"});
  const std::vector<float> ones(600, 1);
  const Value p = b.model.add_parameter("p", Tensor::of(Dtype::float32, {600}, ones));
  const Value q = b.model.add_parameter("q", Tensor::of(Dtype::float32, {600}, ones));
  b.emitter.add_output(b.emitter.emit_one("Sum", {x, p, q}), "out");
  run_passes(b.model);
  CHECK(b.model.main().initializers.size() == 1);
}

namespace {

Tensor counted(const Ints& dims) {
  std::vector<float> elements(static_cast<size_t>(element_count(dims)));
  for (size_t i = 0; i < elements.size(); ++i) elements[i] = static_cast<float>(i);
  return Tensor::of(Dtype::float32, dims, elements);
}

}  // namespace

TEST_CASE("what is added to the channels of a convolution becomes its bias") {
  Bench b;
  const Value x = b.input("x", Dtype::float32, {"N", "4", "8", "9"});
  const auto add = [&](Value v, const Ints& dims) {
    return b.emitter.emit_one("Add", {v, b.emitter.constant(counted(dims))});
  };
  const auto conv = [&](Value v, const Ints& filter, const Attrs& attrs = {}) {
    return b.emitter.emit_one("Conv", {v, b.model.add_parameter("w", counted(filter))}, attrs);
  };
  SUBCASE("once, and once more") {
    const Value y = add(add(conv(x, {6, 4, 1, 1}), {1, 6, 1, 1}), {6, 1, 1});
    b.emitter.add_output(y, "out");
    run_passes(b.model);
    CHECK(b.nodes() == "Conv");
    const Node& node = b.model.node(b.model.main().nodes[0]);
    CHECK(b.model[node.outputs[0]].name == "out");
    CHECK(b.model.static_shape(node.inputs[2]) == Ints{6});
    CHECK(b.floats(node.inputs[2]) == Floats{0, 2, 4, 6, 8, 10});
  }
  SUBCASE("the constant first, groups, transposed") {
    const Value w = b.model.add_parameter("w", counted({4, 3, 2, 2}));
    const Value y = b.emitter.emit_one("ConvTranspose", {x, w}, {Attr("group", 2)});
    b.emitter.add_output(b.emitter.emit_one("Add", {b.emitter.constant(counted({1, 6, 1, 1})), y}), "out");
    run_passes(b.model);
    CHECK(b.nodes() == "ConvTranspose");
  }
  SUBCASE("not when others read the result before, or the numbers differ within a channel") {
    const Value y = conv(x, {6, 4, 1, 1});
    b.emitter.add_output(add(y, {6, 1, 1}), "a");
    b.emitter.add_output(b.emitter.emit_one("Relu", {y}), "b");
    b.emitter.add_output(add(conv(x, {9, 4, 1, 1}), {9}), "c");
    b.emitter.add_output(add(conv(x, {6, 4, 1, 1}), {1, 1, 6, 1, 1}), "d");
    run_passes(b.model);
    CHECK(b.nodes() == "Conv Add Relu Conv Add Conv Add");
  }
  SUBCASE("the parameter keeps its name") {
    const Value p = b.model.add_parameter("conv.bias", counted({6}));
    const Value shaped = b.emitter.emit_one("Reshape", {p, b.emitter.constant(Tensor::int64s({1, 6, 1, 1}))});
    b.emitter.add_output(b.emitter.emit_one("Add", {conv(x, {6, 4, 1, 1}), shaped}), "out");
    run_passes(b.model);
    CHECK(b.model[b.model.node(b.model.main().nodes[0]).inputs[2]].name == "conv.bias");
  }
}

TEST_CASE("a matrix product with a bias becomes Gemm, in two dimensions") {
  Bench b;
  const Value w = b.model.add_parameter("w", counted({4, 6}));
  const Value bias = b.model.add_parameter("b", counted({6}));
  const auto linear = [&](Value x) { return b.emitter.emit_one("Add", {b.emitter.emit_one("MatMul", {x, w}), bias}); };
  b.emitter.add_output(linear(b.input("x", Dtype::float32, {"N", "4"})), "a");
  b.emitter.add_output(linear(b.input("y", Dtype::float32, {"N", "2", "4"})), "b");
  run_passes(b.model);
  CHECK(b.nodes() == "Gemm MatMul Add");
}

TEST_CASE("whole weights beside quantised activations become int8") {
  const auto numbers = [](Ints dims, const std::vector<float>& elements) {
    return Tensor::of(Dtype::float32, std::move(dims), elements);
  };
  const auto build = [&](Bench& b, float weight, bool scaled) {
    const Value x = b.input("x", Dtype::float32, {"1", "2", "4", "4"});
    const Value zero = b.emitter.constant(Tensor::of(Dtype::int8, {}, std::vector<int8_t>{0}));
    const Value q = b.emitter.emit_one("QuantizeLinear", {x, b.emitter.constant(numbers({}, {0.5F})), zero});
    const Value w = b.model.add_parameter("w", numbers({3, 2, 1, 1}, {1, -127, weight, 4, 5, 6}));
    Value y = b.emitter.emit_one("Conv", {b.emitter.cast(q, Dtype::float32), w});
    if (scaled) y = b.emitter.emit_one("Mul", {y, b.emitter.constant(numbers({3, 1, 1}, {1, 2, 3}))});
    b.emitter.add_output(b.emitter.emit_one("Relu", {y}), "out");
    run_passes(b.model);
  };
  SUBCASE("with the factors behind them") {
    Bench b;
    build(b, 3, true);
    CHECK(b.nodes() == "QuantizeLinear DequantizeLinear DequantizeLinear Conv Relu");
    const Node& weights = b.model.node(b.model.main().nodes[2]);
    CHECK(b.model.dtype(weights.inputs[0]) == Dtype::int8);
    CHECK(b.floats(weights.inputs[1]) == Floats{2, 4, 6});
  }
  SUBCASE("without") {
    Bench b;
    build(b, 3, false);
    CHECK(b.nodes() == "QuantizeLinear Cast DequantizeLinear Conv Relu");
  }
  SUBCASE("not when they are not whole") {
    Bench b;
    build(b, 3.5F, true);
    CHECK(b.nodes() == "QuantizeLinear Cast Conv Mul Relu");
  }
}
