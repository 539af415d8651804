#include "runtime/onnx/graph/passes/passes.h"
#include "runtime/onnx/graph/passes/replacements.h"

#include <doctest/doctest.h>

#include <numeric>

#include <bit>
#include <cmath>
#include <limits>
#include <span>
#include <vector>

#include "runtime/onnx/graph/attributes.h"
#include "runtime/onnx/graph/magnitudes.h"
#include "runtime/onnx/graph/narrow.h"
#include "runtime/onnx/graph/passes/precision.h"
#include "tests/runtime/onnx/graph/fixture.h"
#include "tests/runtime/onnx_bytes.h"

using namespace fluid2onnx;
using test::Bench;
using test::onnx_bytes;
using Floats32 = std::vector<float>;

namespace {

Tensor counted(const Ints& dims) {
  std::vector<float> elements(static_cast<size_t>(element_count(dims)));
  for (size_t i = 0; i < elements.size(); ++i) elements[i] = static_cast<float>(i);
  return Tensor::of(Dtype::float32, dims, elements);
}

}  // namespace

TEST_CASE("unused nodes and results are removed") {
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

TEST_CASE("recurrent operators keep all results") {
  Bench b;
  const Value x = b.input("x", Dtype::float32, {"5", "2", "3"});
  const Value w = b.input("w", Dtype::float32, {"1", "16", "3"}), r = b.input("r", Dtype::float32, {"1", "16", "4"});
  const Values results = b.emitter.emit("LSTM", {x, w, r}, {Attr("hidden_size", 4)}, 3);
  b.emitter.add_output(results[0], "out");
  run_passes(b.model);
  CHECK(b.model.node(b.model.main().nodes[0]).outputs.size() == 3);
}

TEST_CASE("a node that only a body reads stays") {
  Bench b;
  auto op = b.context();
  const Value x = b.input("x", Dtype::float32, {"2"});
  const Value y = op.node("Relu", {x}, {}, 1)[0];
  const Value w = b.model.add_parameter("w", Tensor(Dtype::float32, {2}, std::vector<uint8_t>(8)));
  b.model.add_parameter("unused", Tensor(Dtype::float32, {2}, std::vector<uint8_t>(8)));
  const Values result = op.loop(3, {}, {x}, [&](Value, const Values& carried) {
    op.node("Tanh", {carried[0]}, {}, 1);
    return LoopIteration{{}, {op.node("Sum", {carried[0], y, w}, {}, 1)[0]}, {}};
  });
  b.emitter.add_output(result[0], "out");
  run_passes(b.model);
  CHECK(b.nodes() == "Relu Loop");
  CHECK(b.nodes(1) == "Sum Identity");
  for (const Value v : b.model.main().initializers) CHECK(b.model[v].name != "unused");
}

TEST_CASE("casts that undo each other are removed") {
  Bench b;
  const Value x = b.input("x", Dtype::int32, {"2"});
  const Value back = b.emitter.cast(b.emitter.cast(x, Dtype::int64), Dtype::int32);
  b.emitter.add_output(b.emitter.emit_one("Abs", {back}), "a");
  const Value lossy = b.emitter.cast(b.emitter.cast(x, Dtype::float32), Dtype::int32);
  b.emitter.add_output(b.emitter.emit_one("Abs", {lossy}), "b");
  run_passes(b.model);
  CHECK(b.nodes() == "Abs Cast Cast Abs");
}

TEST_CASE("casts to int32 between sizes or floats and int64 are removed") {
  Bench b;
  const auto by_int32 = [&](Value v) {
    return b.emitter.emit_one("Neg", {b.emitter.cast(b.emitter.cast(v, Dtype::int32), Dtype::int64)});
  };
  const Value x = b.input("x", Dtype::float32, {"N", "4"});
  b.emitter.add_output(by_int32(b.emitter.emit_one("Shape", {x})), "sizes");
  b.emitter.add_output(by_int32(x), "floats");
  b.emitter.add_output(by_int32(b.input("n", Dtype::int64, {"2"})), "any");
  run_passes(b.model);
  CHECK(b.nodes() == "Shape Neg Cast Neg Cast Cast Neg");
}

TEST_CASE("transpositions that undo each other are removed") {
  Bench b;
  const Value x = b.input("x", Dtype::float32, {"1", "3", "8", "9"});
  const auto transpose = [&](Value v, const Ints& perm) {
    return b.emitter.emit_one("Transpose", {v}, {Attr("perm", perm)});
  };
  Value v = transpose(x, {0, 2, 3, 1});
  v = b.emitter.emit_one("Sigmoid", {b.emitter.emit_one("Relu", {v})});
  v = transpose(v, {0, 3, 1, 2});
  b.emitter.add_output(b.emitter.emit_one("Tanh", {v}), "out");
  run_passes(b.model);
  CHECK(b.nodes() == "Relu Sigmoid Tanh");
  CHECK(b.type(b.model.node(b.model.main().nodes[0]).outputs[0]) == "float32[1,3,8,9]");
}

TEST_CASE("consecutive transpositions become one, unless other nodes read between") {
  Bench b;
  const Value x = b.input("x", Dtype::float32, {"1", "3", "8", "9"});
  const auto transpose = [&](Value v, const Ints& perm) {
    return b.emitter.emit_one("Transpose", {v}, {Attr("perm", perm)});
  };
  const Value first = transpose(x, {0, 2, 3, 1});
  b.emitter.add_output(transpose(first, {0, 2, 3, 1}), "out");
  const Value relu = b.emitter.emit_one("Relu", {transpose(x, {1, 0, 2, 3})});
  b.emitter.add_output(relu, "both");
  b.emitter.add_output(b.emitter.emit_one("Abs", {transpose(relu, {1, 0, 2, 3})}), "kept");
  run_passes(b.model);
  CHECK(b.nodes() == "Transpose Transpose Relu Transpose Abs");
  const auto& perm = b.model.node(b.model.main().nodes[0]).attributes.begin()->ints();
  CHECK(Ints(perm.begin(), perm.end()) == Ints{0, 3, 1, 2});
  CHECK(b.type(b.model.main().outputs[0]) == "float32[1,9,3,8]");
}

TEST_CASE("-1 in a Reshape with a dynamic size is replaced by its value") {
  Bench b;
  const auto dims_of = [&](const std::vector<std::string>& from, const Ints& to) {
    const Value x = b.input("x", Dtype::float32, from);
    b.emitter.add_output(b.emitter.emit_one("Reshape", {x, b.emitter.constant(Tensor::int64s(to))}), "y");
    run_passes(b.model);
    return b.model.constant_ints(b.model.node(b.model.main().nodes.back()).inputs[1]).value_or(Ints());
  };
  SUBCASE("the elements of a row") { CHECK(dims_of({"N", "4", "6"}, {0, -1}) == Ints{0, 24}); }
  SUBCASE("what is left of them") { CHECK(dims_of({"N", "4", "6"}, {0, 2, -1, 3}) == Ints{0, 2, 4, 3}); }
  SUBCASE("two dynamic sizes that are kept") { CHECK(dims_of({"N", "M", "6"}, {0, 0, 2, -1}) == Ints{0, 0, 2, 3}); }
  SUBCASE("a dynamic size that is merged into it is unknown") {
    CHECK(dims_of({"N", "M", "6"}, {0, -1}) == Ints{0, -1});
  }
  SUBCASE("a dynamic size without a name") { CHECK(dims_of({"?", "4", "6"}, {0, -1}) == Ints{0, 24}); }
  SUBCASE("known sizes need no number") { CHECK(dims_of({"2", "4", "6"}, {0, -1}) == Ints{0, -1}); }
  SUBCASE("the dynamic size itself is kept") { CHECK(dims_of({"N", "4", "6"}, {-1, 4, 3}) == Ints{-1, 4, 3}); }
}

TEST_CASE("the last of consecutive reshapes stays") {
  Bench b;
  const auto reshape = [&](Value v, const Ints& dims) {
    return b.emitter.emit_one("Reshape", {v, b.emitter.constant(Tensor::int64s(dims))});
  };
  SUBCASE("it begins where the first began") {
    const Value x = b.input("x", Dtype::float32, {"N", "4", "6"});
    const Value flat = b.emitter.emit_one("Flatten", {x});
    b.emitter.add_output(reshape(flat, {-1, 3, 8}), "a");
    b.emitter.add_output(reshape(flat, {-1, 8, 3}), "b");
    run_passes(b.model);
    CHECK(b.nodes() == "Reshape Reshape");
    CHECK(b.model.node(b.model.main().nodes[1]).inputs[0] == x);
  }
  SUBCASE("unless it copies a dim of what is before it") {
    b.emitter.add_output(reshape(reshape(b.input("x", Dtype::float32, {"N", "4", "6"}), {-1, 24}), {0, 3, 8}), "y");
    run_passes(b.model);
    CHECK(b.nodes() == "Reshape Reshape");
  }
  SUBCASE("none when the dims are those of before") {
    const Value x = b.input("x", Dtype::float32, {"N", "4", "6"});
    const Value y = reshape(reshape(x, {-1, 24}), {-1, 4, 6});
    b.emitter.add_output(b.emitter.emit_one("Relu", {y}), "a");
    b.emitter.add_output(reshape(reshape(x, {24, -1}), {-1, 4, 6}), "an output keeps its name");
    run_passes(b.model);
    CHECK(b.nodes() == "Relu Reshape");
  }
  SUBCASE("not when a dim is known only behind it") {
    const Value sizes = reshape(b.input("s", Dtype::int64, {"n"}), {4});
    b.emitter.add_output(
        b.emitter.emit_one("Resize", {b.input("x", Dtype::float32, {"N", "?", "?", "?"}), Value(), Value(), sizes}),
        "y");
    run_passes(b.model);
    CHECK(b.nodes() == "Reshape Resize");
  }
  SUBCASE("not when two dims are open") {
    const Value x = b.input("x", Dtype::float32, {"N", "?", "?"});
    b.emitter.add_output(b.emitter.emit_one("Relu", {reshape(reshape(x, {4, -1}), {2, 3, -1})}), "a");
    b.emitter.add_output(b.emitter.emit_one("Abs", {reshape(reshape(x, {4, -1}), {-1, 0, 1})}), "b");
    run_passes(b.model);
    CHECK(b.nodes() == "Reshape Reshape Relu Reshape Abs");
  }
}

TEST_CASE("Splits without sizes and with other numbers of results differ") {
  Bench b(13);
  const Value x = b.input("x", Dtype::float32, {"N"});
  const Values thirds = b.emitter.emit("Split", {x}, {Attr("axis", int64_t{0})}, 3);
  const Values halves = b.emitter.emit("Split", {x}, {Attr("axis", int64_t{0})}, 2);
  b.emitter.add_output(b.emitter.emit_one("Abs", {thirds[0]}), "third");
  b.emitter.add_output(b.emitter.emit_one("Abs", {halves[0]}), "half");
  run_passes(b.model);
  CHECK(b.nodes() == "Split Split Abs Abs");
}

TEST_CASE("equal nodes become one") {
  Bench b;
  const Value x = b.input("x", Dtype::float32, {"4", "6"});
  const auto top = [&](int outputs) {
    return b.emitter.emit("TopK", {x, b.emitter.constant(Tensor::int64s({2}))}, {}, outputs);
  };
  SUBCASE("with all its results") {
    const Values first = top(2), second = top(2);
    b.emitter.add_output(b.emitter.emit_one("Add", {first[0], second[0]}), "values");
    b.emitter.add_output(b.emitter.emit_one("Add", {first[1], second[1]}), "indices");
    run_passes(b.model);
    CHECK(b.nodes() == "TopK Add Add");
  }
  SUBCASE("and so what follows from it") {
    const auto path = [&] { return b.emitter.emit_one("Abs", {b.emitter.emit_one("Relu", {x})}); };
    const Value left = path(), right = path();
    b.emitter.add_output(b.emitter.emit_one("Mul", {left, right}), "out");
    run_passes(b.model);
    CHECK(b.nodes() == "Relu Abs Mul");
  }
  SUBCASE("but for other attributes, random numbers and outputs") {
    const auto elu = [&](double alpha) { return b.emitter.emit_one("Elu", {x}, {Attr("alpha", alpha)}); };
    const Value a = elu(1), c = elu(2);
    b.emitter.add_output(b.emitter.emit_one("Add", {a, c}), "elu");
    const Value r = b.emitter.emit_one("RandomNormalLike", {x}), s = b.emitter.emit_one("RandomNormalLike", {x});
    b.emitter.add_output(b.emitter.emit_one("Add", {r, s}), "random");
    for (const char* name : {"one", "two"}) b.emitter.add_output(b.emitter.emit_one("Relu", {x}), name);
    run_passes(b.model);
    CHECK(b.nodes() == "Elu Elu Add RandomNormalLike RandomNormalLike Add Relu Relu");
  }
}

TEST_CASE("equal computed constants are written once") {
  Bench b;
  const Value x = b.input("x", Dtype::float32, {"N", "40"});
  const Tensor stored = counted({50, 40});
  for (const int64_t axis : {1, 1, 0}) {
    const Ints perm{axis, 1 - axis};
    const Ints dims = axis == 1 ? Ints{40, 50} : Ints{50, 40};
    const Value w = b.model.add_parameter(
        "w",
        *Tensor::computed(Dtype::float32, dims, LazyTensor{"Transpose", 17, {Attr("perm", perm)}, {stored}, 0, 1}));
    b.emitter.add_output(axis == 1 ? b.emitter.emit_one("MatMul", {x, w}) : b.emitter.copy(w), "y");
  }
  run_passes(b.model);
  CHECK(b.model.main().initializers.size() == 2);
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

TEST_CASE("an Add of one number for each channel becomes a convolution's bias") {
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
  SUBCASE("of float16 only once: nothing adds two biases when the model is written") {
    const auto half = [&](const Ints& dims) {
      const std::vector<uint16_t> ones(static_cast<size_t>(element_count(dims)), 0x3C00);
      return Tensor::of(Dtype::float16, dims, ones);
    };
    const Value h = b.input("h", Dtype::float16, {"1", "4", "8", "8"});
    Value y = b.emitter.emit_one("Conv", {h, b.model.add_parameter("w", half({6, 4, 1, 1}))});
    for (int i = 0; i < 2; ++i) y = b.emitter.emit_one("Add", {y, b.emitter.constant(half({6, 1, 1}))});
    b.emitter.add_output(y, "out");
    run_passes(b.model);
    for (const Value v : b.model.main().initializers) CHECK(b.model[v].constant->evaluated().byte_size() > 0);
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

TEST_CASE("without fusions, an Add remains") {
  Bench b;
  const Value x = b.input("x", Dtype::float32, {"N", "4"});
  const Value w = b.model.add_parameter("w", counted({4, 6}));
  const Value product = b.emitter.emit_one("MatMul", {x, w});
  b.emitter.add_output(b.emitter.emit_one("Add", {product, b.model.add_parameter("b", counted({6}))}), "y");
  run_passes(b.model, Fusions::none);
  CHECK(b.nodes() == "MatMul Add");
  run_passes(b.model, Fusions::all_but_biases);
  CHECK(b.nodes() == "Gemm");
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

TEST_CASE("the bias of a product is added after the residual connection that is normalized") {
  for (const char* length : {"4", "length"}) {
    CAPTURE(length);
    Bench b{17};
    const Value x = b.input("x", Dtype::float32, {"batch", length, "8"});
    const Value product = b.emitter.emit_one("MatMul", {x, b.model.add_parameter("w", counted({8, 8}))});
    const Value bias = b.model.add_parameter("b", counted({8}));
    const Value sum = b.emitter.emit_one("Add", {x, b.emitter.emit_one("Add", {product, bias})});
    b.emitter.add_output(b.emitter.emit_one("LayerNormalization", {sum, b.model.add_parameter("s", counted({8}))}),
                         "y");
    run_passes(b.model);
    CHECK(b.nodes() == "MatMul Add Add LayerNormalization");
    const Node& last = b.model.node(b.model.main().nodes[2]);
    // ONNX Runtime does not fuse dynamic lengths.
    CHECK((last.inputs[1].id == bias.id) == (std::string(length) == "4"));
  }
}

TEST_CASE("a pool behind padding has auto_pad VALID") {
  for (const int opset : {10, 17}) {
    Bench b(opset);
    const Value x = b.input("x", Dtype::float32, {"1", "3", "8", "8"});
    const Ints around{0, 0, 1, 1, 0, 0, 1, 1};
    const auto padded = [&] {
      return opset < 11 ? b.emitter.emit_one("Pad", {x}, {Attr("pads", around)})
                        : b.emitter.emit_one("Pad", {x, b.emitter.constant(Tensor::int64s(around))});
    };
    const auto pool = [&](const char* op, const Ints& pads, bool counted) {
      Attrs attrs{Attr("kernel_shape", Ints{3, 3}), Attr("pads", pads)};
      if (counted) attrs.emplace_back("count_include_pad", 1);
      b.emitter.add_output(b.emitter.emit_one(op, {padded()}, attrs));
    };
    pool("MaxPool", {0, 0, 0, 0}, false);
    pool("MaxPool", {1, 0, 1, 0}, false);
    pool("AveragePool", {2, 0, 2, 0}, true);
    pool("AveragePool", {2, 0, 2, 0}, false);  // is left alone
    pool("AveragePool", {1, 0, 1, 0}, true);   // has a window that is larger than all padding
    const Attrs window{Attr("kernel_shape", Ints{3, 3}), Attr("pads", Ints{1, 0, 1, 0})};
    const Values positions = b.emitter.emit("MaxPool", {padded()}, window, 2);  // count in what the pool is given
    b.emitter.add_output(positions[0]);
    b.emitter.add_output(positions[1]);
    b.emitter.add_output(b.emitter.emit_one("MaxPool", {x}, {Attr("kernel_shape", Ints{3, 3})}));
    const int changes = avoid_wrong_fusions(b.model);
    CHECK(changes == 3);
    CHECK(b.nodes() ==
          "Pad MaxPool Pad Pad MaxPool Pad Pad AveragePool Pad AveragePool Pad AveragePool Pad MaxPool MaxPool");
    std::vector<std::string> paddings;
    for (const NodeId id : b.model.main().nodes) {
      const auto* how = find_attribute(b.model.node(id), "auto_pad");
      if (!b.model.node(id).is("Pad")) paddings.push_back(how ? how->s() : "");
    }
    CHECK(paddings == std::vector<std::string>{"VALID", "VALID", "VALID", "", "", "", ""});
    CHECK(b.type(b.model.node(b.model.main().nodes[3]).outputs[0]) == "float32[1,3,12,10]");
    CHECK(avoid_wrong_fusions(b.model) == 0);
  }
}

TEST_CASE("the vector after a transposed matrix becomes a column") {
  for (const int opset : {9, 17}) {
    Bench b(opset);
    const Value x = b.input("x", Dtype::float32, {"2", "4", "3"});
    const Value v = b.input("v", Dtype::float32, {"4"});
    const Value t = b.emitter.emit_one("Transpose", {x}, {Attr("perm", Ints{0, 2, 1})});
    const Value y = b.emitter.emit_one("MatMul", {t, v});
    b.emitter.add_output(y, "y");
    b.emitter.add_output(b.emitter.emit_one("MatMul", {b.input("m", Dtype::float32, {"3", "4"}), v}));
    CHECK(avoid_wrong_fusions(b.model) == 1);
    CHECK(b.nodes() == "Transpose Unsqueeze MatMul Squeeze MatMul");
    CHECK(b.type(b.model.node(b.model.main().nodes[2]).outputs[0]) == "float32[2,3,1]");
    CHECK(b.model.node(b.model.main().nodes[3]).outputs[0] == y);
    CHECK(avoid_wrong_fusions(b.model) == 0);
  }
}

namespace {

/// Convolutions of sequences, as those of images between Unsqueeze and Squeeze.
struct Sequences {
  explicit Sequences(int opset) : bench(opset) {}

  Value axes_change(std::string_view op, Value v, int64_t axis = 2) {
    if (bench.model.opset() < 13) return bench.emitter.emit_one(op, {v}, {Attr("axes", Ints{axis})});
    return bench.emitter.emit_one(op, {v, bench.emitter.constant(Tensor::int64s({axis}))});
  }
  Value conv(Value v, const Attrs& attrs = {}) {
    const Ints dims{4, 4, 1, 1};
    const Value filter = bench.emitter.constant(Tensor::of(Dtype::float32, dims, std::vector<float>(16, 0.5F)));
    return axes_change("Squeeze", bench.emitter.emit_one("Conv", {axes_change("Unsqueeze", v), filter}, attrs));
  }
  Value numbers(const Ints& dims) {
    std::vector<float> elements(static_cast<size_t>(element_count(dims)));
    std::iota(elements.begin(), elements.end(), 1.0F);
    return bench.emitter.constant(Tensor::of(Dtype::float32, dims, elements));
  }
  std::string nodes(const Values& outputs) {
    for (const Value v : outputs) bench.emitter.add_output(v);
    run_passes(bench.model);
    return bench.nodes();
  }

  Bench bench;
  Value x = bench.input("x", Dtype::float32, {"N", "4", "T"});
};

}  // namespace

TEST_CASE("the Squeeze of a convolution moves to the end of a sequence's network") {
  for (const int opset : {11, 17}) {
    CAPTURE(opset);
    Sequences s(opset);
    Emitter& e = s.bench.emitter;
    const Value first = s.conv(s.x);
    const Value norm =
        e.emit_one("BatchNormalization", {first, s.numbers({4}), s.numbers({4}), s.numbers({4}), s.numbers({4})});
    const Value other = e.emit_one("Relu", {s.conv(norm)});
    const Value sum = e.emit_one("Mul", {e.emit_one("Add", {other, norm}), s.numbers({4, 1})});
    const Value all = e.emit_one("Concat", {sum, other}, {Attr("axis", -1)});
    CHECK(s.nodes({s.conv(all)}) == "Unsqueeze Conv BatchNormalization Conv Relu Add Mul Concat Conv Squeeze");
    const Node& concat = s.bench.model.node(s.bench.model.main().nodes[7]);
    CHECK(int_attribute(concat, "axis", 0) == 3);
    CHECK(s.bench.type(concat.outputs[0]) == "float32[N,4,1,?]");
    const Node& product = *s.bench.model.producer(concat.inputs[0]);
    CHECK(s.bench.model[product.inputs[1]].constant->dims() == Ints{1, 4, 1, 1});
  }
}

TEST_CASE("a Slice and a Pad of a sequence become those of an image") {
  for (const int opset : {9, 17}) {
    CAPTURE(opset);
    Sequences s(opset);
    Emitter& e = s.bench.emitter;
    const auto ints = [&](const Ints& list) { return e.constant(Tensor::int64s(list)); };
    const Value y = e.emit_one("Relu", {s.conv(s.x)});
    const Attrs slice{Attr("starts", Ints{1}), Attr("ends", Ints{9}), Attr("axes", Ints{2})};
    const Value part =
        opset < 10 ? e.emit_one("Slice", {y}, slice) : e.emit_one("Slice", {y, ints({1}), ints({9}), ints({2})});
    const Ints pads{0, 0, 2, 0, 0, 0};
    const Value wide =
        opset < 11 ? e.emit_one("Pad", {part}, {Attr("pads", pads)}) : e.emit_one("Pad", {part, ints(pads)});
    CHECK(s.nodes({s.conv(wide)}) == "Unsqueeze Conv Relu Slice Pad Conv Squeeze");
    const Model& model = s.bench.model;
    const Node &cut = model.node(model.main().nodes[3]), &padded = model.node(model.main().nodes[4]);
    const auto list = [&](const Node& node, std::string_view name, size_t operand) {
      const auto* attribute = find_attribute(node, name);
      return attribute ? Ints(attribute->ints().begin(), attribute->ints().end())
                       : *model.constant_ints(node.inputs[operand]);
    };
    CHECK(list(cut, "axes", 3) == Ints{3});
    CHECK(list(padded, "pads", 1) == Ints{0, 0, 0, 2, 0, 0, 0, 0});
  }
}

TEST_CASE("a ConvTranspose of sequences with a width of 1 gets a height of 1, like Conv1D") {
  for (const int opset : {9, 17}) {
    CAPTURE(opset);
    Sequences s(opset);
    Emitter& e = s.bench.emitter;
    const Value filter = e.constant(Tensor::of(Dtype::float32, {4, 2, 3, 1}, std::vector<float>(24, 1)));
    const Attrs attrs{Attr("strides", Ints{2, 1}), Attr("pads", Ints{1, 0, 2, 0}), Attr("group", int64_t{2})};
    const Value wide = s.axes_change("Unsqueeze", e.emit_one("Relu", {s.conv(s.x)}), 3);
    const Value up = s.axes_change("Squeeze", e.emit_one("ConvTranspose", {wide, filter}, attrs), 3);
    const Value sum = e.emit_one("Add", {up, s.conv(up)});
    CHECK(s.nodes({sum}) == "Unsqueeze Conv Relu ConvTranspose Conv Add Squeeze");
    const Node& turned = s.bench.model.node(s.bench.model.main().nodes[3]);
    CHECK(sizes_attribute(turned, "strides", {0, 0}) == Ints{1, 2});
    CHECK(sizes_attribute(turned, "pads", {0, 0, 0, 0}) == Ints{0, 1, 0, 2});
    CHECK(s.bench.model[turned.inputs[1]].constant->dims() == Ints{4, 2, 1, 3});
    CHECK(s.bench.type(turned.outputs[0]) == "float32[N,4,1,?]");
  }
}

TEST_CASE("a padded volume between Unsqueeze and Squeeze is a padded sequence") {
  for (const int opset : {9, 17}) {
    CAPTURE(opset);
    const auto nodes = [&](const Ints& pads) {
      Sequences s(opset);
      Emitter& e = s.bench.emitter;
      const Value wide = s.axes_change("Unsqueeze", s.conv(s.x));
      const Value padded = opset < 11 ? e.emit_one("Pad", {wide}, {Attr("pads", pads)})
                                      : e.emit_one("Pad", {wide, e.constant(Tensor::int64s(pads))});
      return s.nodes({s.conv(s.axes_change("Squeeze", padded))});
    };
    CHECK(nodes({0, 0, 0, 2, 0, 0, 0, 0}) == "Unsqueeze Conv Pad Conv Squeeze");
    CHECK(nodes({0, 0, 1, 2, 0, 0, -1, 0}) == "Unsqueeze Conv Pad Squeeze Unsqueeze Conv Squeeze");
  }
}

TEST_CASE("outputs between squeezed values stay sequences") {
  Sequences s(17);
  Emitter& e = s.bench.emitter;
  const Value inner = e.emit_one("Relu", {s.conv(s.x)});
  const Values parts = e.emit("Split", {inner, e.constant(Tensor::int64s({1, 3}))}, {Attr("axis", int64_t{1})}, 2);
  const Value slopes = e.emit_one("PRelu", {parts[1], s.numbers({3, 1})});
  CHECK(s.nodes({inner, e.emit_one("Max", {slopes, slopes})}) == "Unsqueeze Conv Relu Squeeze Split PRelu Max");
  for (const Value output : s.bench.model.main().outputs) CHECK(s.bench.model.shape(output)->dim_size() == 3);
}

TEST_CASE("a Squeeze moves only to operands of the same rank") {
  Sequences s(17);
  Emitter& e = s.bench.emitter;
  const Value y = s.conv(s.x);
  CHECK(s.nodes({e.emit_one("Add", {y, s.numbers({2, 1, 1, 1})})}) == "Unsqueeze Conv Squeeze Add");
  Sequences t(17);
  Emitter& f = t.bench.emitter;
  const Value image = t.bench.input("image", Dtype::float32, {"N", "1", "4", "8"});
  const auto filter = [&](const Ints& dims) { return t.numbers(dims); };
  const Value axis = f.constant(Tensor::int64s({1}));
  const Value flat = f.emit_one("Squeeze", {f.emit_one("Conv", {image, filter({1, 1, 1, 1})}), axis});
  const Value volume = t.bench.input("volume", Dtype::float32, {"N", "1", "2", "4", "8"});
  const Value deep = f.emit_one("Squeeze", {f.emit_one("Conv", {volume, filter({1, 1, 1, 1, 1})}), axis});
  CHECK(t.nodes({f.emit_one("Add", {flat, deep})}) == "Conv Squeeze Conv Squeeze Add");
}

TEST_CASE("a Squeeze is kept where moving it would add one, or other operands are not squeezed") {
  Sequences s(17);
  Emitter& e = s.bench.emitter;
  const Value y = s.conv(s.x);
  const Value turned = e.emit_one("Transpose", {y}, {Attr("perm", Ints{0, 2, 1})});
  CHECK(s.nodes({e.emit_one("Relu", {y}), turned}) == "Unsqueeze Conv Squeeze Transpose Relu");
  Sequences t(17);
  CHECK(t.nodes({t.bench.emitter.emit_one("Add", {t.conv(t.x), t.x})}) == "Unsqueeze Conv Squeeze Add");
}

TEST_CASE("a Cast moves before a Transpose that a product with another rank reads") {
  Bench b;
  const Value x = b.input("x", Dtype::float64, {"n", "2", "3"});
  const Value w = b.input("w", Dtype::float32, {"3", "4"});
  const Value stack = b.input("stack", Dtype::float32, {"2", "3", "4"});
  const auto turned = [&](const Ints& perm) {
    const Value t = b.emitter.emit_one("Transpose", {x}, {Attr("perm", perm)});
    return b.emitter.emit_one("Cast", {t}, {Attr("to", static_cast<int64_t>(Dtype::float32))});
  };
  const Value rows = turned({1, 0, 2});
  b.emitter.add_output(b.emitter.emit_one("MatMul", {rows, stack}));
  b.emitter.add_output(b.emitter.emit_one("MatMul", {turned({2, 0, 1}), b.input("v", Dtype::float32, {"2"})}));
  CHECK(avoid_wrong_fusions(b.model) == 0);
  b.emitter.add_output(b.emitter.emit_one("MatMul", {rows, w}));
  b.emitter.add_output(b.emitter.emit_one("MatMul", {b.input("u", Dtype::float32, {"5", "3"}), turned({1, 2, 0})}));
  CHECK(avoid_wrong_fusions(b.model) == 2);
  CHECK(b.nodes() ==
        "Transpose Cast MatMul Transpose Cast MatMul Cast Transpose MatMul Transpose Cast Cast Transpose MatMul");
  CHECK(avoid_wrong_fusions(b.model) == 0);
}

namespace {

/// Selects queries, keys and values from a product whose last axis packs them, as Paddle's vision transformers do.
struct PackedBench : Bench {
  explicit PackedBench(int opset = 17) : Bench(opset) {}

  Value packed(Value x, const Ints& dims, const Ints& perm) {
    const Value shape = emitter.constant(Tensor::int64s(dims));
    return emitter.emit_one("Transpose", {emitter.emit_one("Reshape", {x, shape})}, {Attr("perm", perm)});
  }
  void select(Value v, const Ints& indices, int64_t axis) {
    for (const int64_t i : indices) {
      const Value index = emitter.constant(Tensor::int64_scalar(i));
      emitter.add_output(emitter.emit_one("Gather", {v, index}, {Attr("axis", axis)}), "part" + std::to_string(i));
    }
  }
  std::string nodes_after(Value v, const Ints& indices, int64_t axis = 0) {
    select(v, indices, axis);
    run_passes(model);
    return nodes();
  }
};

}  // namespace

TEST_CASE("a Split separates the queries, keys and values of one product") {
  const Ints dims{-1, 5, 3, 2, 4}, perm{2, 0, 3, 1, 4};
  const std::vector<std::string> product{"batch", "5", "24"};
  for (const int opset : {11, 17}) {
    PackedBench b(opset);
    const Value v = b.packed(b.input("x", Dtype::float32, product), dims, perm);
    CHECK(b.nodes_after(v, {0, 2, -2}) == "Split Reshape Transpose Reshape Transpose Reshape Transpose");
    const Node& split = b.model.node(b.model.main().nodes[0]);
    CHECK(int_attribute(split, "axis", 0) == 2);
    CHECK(split.inputs.size() == (opset < 13 ? 1 : 2));
    // -2 is the part 1.
    CHECK(b.model.node(b.model.main().nodes[5]).inputs[0] == split.outputs[1]);
  }
  SUBCASE("also along another axis") {
    PackedBench b;
    const Value v = b.packed(b.input("x", Dtype::float32, product), dims, {0, 3, 2, 1, 4});
    CHECK(b.nodes_after(v, {0, 1, 2}, -3) == "Split Reshape Transpose Reshape Transpose Reshape Transpose");
    CHECK(find_attribute(b.model.node(b.model.main().nodes[2]), "perm")->ints(1) == 2);
  }
  SUBCASE("not if a part is unused") {
    PackedBench b;
    const Value v = b.packed(b.input("x", Dtype::float32, product), dims, perm);
    CHECK(b.nodes_after(v, {0, 1}) == "Reshape Transpose Gather Gather");
  }
  SUBCASE("not if another node reads all parts") {
    PackedBench b;
    const Value v = b.packed(b.input("x", Dtype::float32, product), dims, perm);
    b.emitter.add_output(b.emitter.emit_one("Relu", {v}), "all");
    CHECK(b.nodes_after(v, {0, 1, 2}) == "Reshape Transpose Relu Gather Gather Gather");
  }
  SUBCASE("not if the parts extend over several axes of the product") {
    PackedBench b;
    const Value v = b.packed(b.input("x", Dtype::float32, {"batch", "15", "8"}), dims, perm);
    CHECK(b.nodes_after(v, {0, 1, 2}) == "Reshape Transpose Gather Gather Gather");
  }
  SUBCASE("not if the size of the product is unknown") {
    PackedBench b;
    const Value v = b.packed(b.input("x", Dtype::float32, {"batch", "5", "?"}), dims, perm);
    CHECK(b.nodes_after(v, {0, 1, 2}) == "Reshape Transpose Gather Gather Gather");
  }
}

TEST_CASE("a Range that a Slice does not equal stays one") {
  Bench b;
  const Value x = b.input("x", Dtype::float32, {"n", "2"});
  const auto number = [&](int64_t n) { return b.emitter.constant(Tensor::int64_scalar(n)); };
  const Value size = b.emitter.emit_one(
      "Squeeze",
      {b.emitter.emit_one("Slice", {b.emitter.emit_one("Shape", {x}), b.emitter.constant(Tensor::int64s({0})),
                                    b.emitter.constant(Tensor::int64s({1}))})});
  const Value last = b.emitter.emit_one("Sub", {size, number(1)});
  const auto gathered = [&](Value from, Value to, int64_t step) {
    b.emitter.add_output(b.emitter.emit_one("Gather", {x, b.emitter.emit_one("Range", {from, to, number(step)})}));
  };
  gathered(number(0), size, 1);
  CHECK(avoid_wrong_fusions(b.model) == 0);
  gathered(last, number(-1), -1);
  gathered(number(0), last, 1);
  CHECK(avoid_wrong_fusions(b.model) == 2);
  CHECK(b.nodes() == "Shape Slice Squeeze Sub Range Gather Range Cast Gather Range Cast Gather");
  CHECK(avoid_wrong_fusions(b.model) == 0);
}

TEST_CASE("a Slice after a convolution becomes smaller padding") {
  const auto build = [](Bench& b, const Ints& starts, const Ints& ends, const std::string& height = "8") {
    const Value x = b.input("x", Dtype::float32, {"1", "1", height, "8"});
    const Value w = b.model.add_parameter("w", Tensor::of(Dtype::float32, {1, 1, 3, 3}, std::vector<float>(9, 1)));
    const Value y = b.emitter.emit_one("Conv", {x, w}, {Attr("pads", Ints{2, 2, 2, 2}), Attr("strides", Ints{2, 1})});
    const auto list = [&](const Ints& numbers) { return b.emitter.constant(Tensor::int64s(numbers)); };
    b.emitter.add_output(b.emitter.emit_one("Slice", {y, list(starts), list(ends), list({2, 3})}), "out");
    run_passes(b.model);
    const auto* pads = find_attribute(b.model.node(b.model.main().nodes[0]), "pads");
    return Ints(pads->ints().begin(), pads->ints().end());
  };
  constexpr int64_t kEnd = std::numeric_limits<int64_t>::max();
  Bench b;
  // The result before the Slice has 5 rows and 10 columns.
  SUBCASE("at the start, and at the end") {
    CHECK(build(b, {1, 1}, {kEnd, 8}) == Ints{0, 1, 2, 0});
    CHECK(b.nodes() == "Conv");
  }
  SUBCASE("of a dynamic size") {
    CHECK(build(b, {1, 0}, {kEnd, -1}, "h") == Ints{0, 2, 2, 1});
    CHECK(b.nodes() == "Conv");
  }
  SUBCASE("not when more than padding is cut away") {
    CHECK(build(b, {2, 0}, {kEnd, kEnd}) == Ints{2, 2, 2, 2});
    CHECK(b.nodes() == "Conv Slice");
  }
  SUBCASE("not when the end depends on a dynamic size") {
    CHECK(build(b, {0, 0}, {3, kEnd}, "h") == Ints{2, 2, 2, 2});
    CHECK(b.nodes() == "Conv Slice");
  }
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

TEST_CASE("a Gemm reads int8 weights with a step for each column transposed") {
  const auto build = [](Bench& b, const std::vector<float>& steps, bool other_reader) {
    const Value x = b.input("x", Dtype::float32, {"N", "2"});
    const Value step = b.emitter.constant(Tensor::of(Dtype::float32, {}, std::vector<float>{0.5F}));
    const Value zero = b.emitter.constant(Tensor::of(Dtype::int8, {}, std::vector<int8_t>{0}));
    const Value q = b.emitter.emit_one("QuantizeLinear", {x, step, zero});
    const Value w =
        b.model.add_parameter("w", Tensor::of(Dtype::int8, {2, 3}, std::vector<int8_t>{1, -127, 3, 4, 5, 6}));
    const Ints dims = steps.size() == 1 ? Ints{} : Ints{static_cast<int64_t>(steps.size())};
    const Value restored =
        b.emitter.emit_one("DequantizeLinear", {w, b.emitter.constant(Tensor::of(Dtype::float32, dims, steps))},
                           {Attr("axis", int64_t{1})});
    const Value product = b.emitter.emit_one("MatMul", {b.emitter.emit_one("DequantizeLinear", {q, step}), restored});
    const Value bias = b.model.add_parameter("b", Tensor::of(Dtype::float32, {3}, std::vector<float>{1, 2, 3}));
    b.emitter.add_output(b.emitter.emit_one("Add", {product, bias}), "out");
    if (other_reader) b.emitter.add_output(b.emitter.emit_one("Relu", {restored}), "weights");
    run_passes(b.model);
  };
  const auto gemm = [](Bench& b) -> const Node& { return *b.model.producer(b.model.main().outputs[0]); };
  SUBCASE("with the steps of rows") {
    Bench b;
    build(b, {1, 2, 3}, false);
    CHECK(int_attribute(gemm(b), "transB", 0) == 1);
    const Node& dequantize = *b.model.producer(gemm(b).inputs[1]);
    CHECK(int_attribute(dequantize, "axis", 1) == 0);
    CHECK(b.model[dequantize.inputs[0]].constant->as_ints() == Ints{1, 4, -127, 5, 3, 6});
    CHECK(b.model[dequantize.inputs[0]].constant->dims() == Ints{3, 2});
    CHECK(b.model.static_shape(gemm(b).inputs[1]) == Ints{3, 2});
  }
  SUBCASE("not with one step for all") {
    Bench b;
    build(b, {1}, false);
    CHECK(int_attribute(gemm(b), "transB", 0) == 0);
  }
  SUBCASE("not if another node reads the weights") {
    Bench b;
    build(b, {1, 2, 3}, true);
    CHECK(int_attribute(gemm(b), "transB", 0) == 0);
  }
}

TEST_CASE("the sum of parallel convolutions is one convolution") {
  const auto numbers = [](const Ints& dims, float first) {
    std::vector<float> elements(static_cast<size_t>(element_count(dims)));
    std::iota(elements.begin(), elements.end(), first);
    return Tensor::of(Dtype::float32, dims, elements);
  };
  const auto build = [&](Bench& b, const Attrs& narrow, bool read_twice = false) {
    const Value x = b.input("x", Dtype::float32, {"N", "2", "5", "5"});
    const auto norm = [&](Value v) {
      const Value one = b.emitter.constant(numbers({2}, 1));  // 1, 2
      const Value other = b.emitter.constant(numbers({2}, 3));
      const Value variance = b.emitter.constant(Tensor::of(Dtype::float32, {2}, std::vector<float>{1, 4}));
      return b.emitter.emit_one("BatchNormalization", {v, one, other, one, variance}, {Attr("epsilon", 0.0)});
    };
    const Value wide = b.emitter.emit_one("Conv", {x, b.model.add_parameter("w3", numbers({2, 2, 3, 3}, 0))},
                                          {Attr("pads", Ints{1, 1, 1, 1})});
    const Value small = b.emitter.emit_one(
        "Conv",
        {x, b.model.add_parameter("w1", numbers({2, 2, 1, 1}, 100)), b.model.add_parameter("b1", numbers({2}, 7))},
        narrow);
    if (read_twice) b.emitter.add_output(b.emitter.emit_one("Neg", {small}), "other");
    const Value sum = b.emitter.emit_one("Add", {small, norm(wide)});
    b.emitter.add_output(b.emitter.emit_one("Add", {sum, norm(x)}), "out");
    merge_branches(b.model);
    run_passes(b.model);
  };
  SUBCASE("with filters in the middle of zeros") {
    Bench b;
    build(b, {});
    CHECK(b.nodes() == "Conv");
    const Node& conv = *b.model.producer(b.model.main().outputs[0]);
    // Channel 0 has the factor 1, channel 1 has 2 / sqrt(4). In the middle is the small filter, and the factor of x.
    CHECK(b.model[conv.inputs[1]].constant->as_floats() ==
          Floats{0,  1,  2,  3,  4 + 100 + 1, 5,  6,  7,  8,  9,  10, 11, 12, 13 + 101,     14, 15, 16, 17,
                 18, 19, 20, 21, 22 + 102,    23, 24, 25, 26, 27, 28, 29, 30, 31 + 103 + 1, 32, 33, 34, 35});
    CHECK(b.model[conv.inputs[2]].constant->as_floats() == Floats{7 + 2 + 2, 8 + 2 + 2});
    CHECK(find_attribute(conv, "pads")->ints_size() == 4);
    CHECK(b.type(b.model.main().outputs[0]) == "float32[N,2,5,5]");
  }
  SUBCASE("with more zeros on one side") {
    Bench b;
    const Value x = b.input("x", Dtype::float32, {"N", "1", "5", "5"});
    const Value wide = b.emitter.emit_one("Conv", {x, b.model.add_parameter("w", numbers({1, 1, 3, 3}, 0))},
                                          {Attr("pads", Ints{1, 1, 1, 1})});
    const Value small = b.emitter.emit_one("Conv", {x, b.model.add_parameter("v", numbers({1, 1, 2, 2}, 100))},
                                           {Attr("pads", Ints{1, 0, 0, 1})});
    b.emitter.add_output(b.emitter.emit_one("Add", {wide, small}), "out");
    CHECK(merge_branches(b.model) == 1);
    const Node& conv = *b.model.producer(b.model.main().outputs[0]);
    // Rows 0 and 1, columns 1 and 2.
    CHECK(b.model[conv.inputs[1]].constant->as_floats() == Floats{0, 101, 103, 3, 106, 108, 6, 7, 8});
  }
  SUBCASE("not where a node reads a part of the sum") {
    Bench b;
    build(b, {}, true);
    CHECK(b.nodes() == "Conv Conv Neg BatchNormalization Add BatchNormalization Add");
  }
}

TEST_CASE("parallel convolutions merge if they see the same elements") {
  const auto nodes = [](const Ints& narrow_filter, const Attrs& narrow, const Attrs& wide) {
    Bench b;
    const auto parameter = [&](const char* name, const Ints& dims) {
      return b.model.add_parameter(
          name, Tensor::of(Dtype::float32, dims, std::vector<float>(static_cast<size_t>(element_count(dims)), 1)));
    };
    const Value x = b.input("x", Dtype::float32, {"N", "4", "8", "8"});
    const Value first = b.emitter.emit_one("Conv", {x, parameter("w3", {4, 2, 3, 3})}, wide);
    const Value second = b.emitter.emit_one("Conv", {x, parameter("w1", narrow_filter)}, narrow);
    b.emitter.add_output(b.emitter.emit_one("Add", {first, second}), "out");
    merge_branches(b.model);
    run_passes(b.model);
    return b.nodes();
  };
  const Attr groups("group", int64_t{2}), strides("strides", Ints{2, 2}), pads("pads", Ints{1, 1, 1, 1});
  CHECK(nodes({4, 2, 1, 1}, {groups}, {groups, pads}) == "Conv");
  CHECK(nodes({4, 2, 1, 1}, {groups, strides}, {groups, strides, pads}) == "Conv");
  CHECK(nodes({4, 2, 3, 1}, {groups, Attr("pads", Ints{1, 0, 1, 0})}, {groups, pads}) == "Conv");
  CHECK(nodes({4, 2, 3, 3}, {groups, pads}, {groups, pads}) == "Conv");
  CHECK(nodes({4, 4, 1, 1}, {}, {groups, pads}) == "Conv Conv Add");  // other groups
  CHECK(nodes({4, 2, 3, 3}, {groups, Attr("dilations", Ints{2, 2}), Attr("pads", Ints{2, 2, 2, 2})}, {groups, pads}) ==
        "Conv Conv Add");
  CHECK(nodes({4, 2, 2, 2}, {groups, Attr("pads", Ints{1, 0, 0, 1})}, {groups, pads}) == "Conv");
  CHECK(nodes({4, 2, 3, 3}, {groups, Attr("pads", Ints{2, 0, 0, 2})}, {groups, pads}) == "Conv Conv Add");
  CHECK(nodes({4, 2, 1, 1}, {groups}, {groups, Attr("auto_pad", std::string("SAME_UPPER"))}) == "Conv Conv Add");
}

TEST_CASE("BatchNormalization becomes part of a matrix and its bias") {
  const auto build = [](Bench& b, std::string_view op, const Attrs& attrs, const Ints& matrix,
                        const Ints& bias = {1, 2}) {
    const auto numbers = [&](const Ints& dims, const std::vector<float>& elements) {
      return b.emitter.constant(Tensor::of(Dtype::float32, dims, elements));
    };
    const Value x = b.input("x", Dtype::float32, {"2", "2"});
    Values operands{x, numbers(matrix, {1, 2, 3, 4})};
    if (op == "Gemm") operands.push_back(numbers(bias, {10, 20}));
    const Value y = b.emitter.emit_one(op, operands, attrs);
    const Values norm{y, numbers({2}, {1, 2}), numbers({2}, {5, 6}), numbers({2}, {1, 2}), numbers({2}, {4, 1})};
    b.emitter.add_output(b.emitter.emit_one("BatchNormalization", norm, {Attr("epsilon", 0.0)}), "out");
    return fuse_batch_norms_of_matrices(b.model);
  };
  const auto floats = [](const Bench& b, size_t operand) {
    return b.model[b.model.producer(b.model.main().outputs[0])->inputs[operand]].constant->as_floats();
  };
  SUBCASE("a MatMul becomes a Gemm") {
    Bench b;
    CHECK(build(b, "MatMul", {}, {2, 2}) == 1);
    CHECK(b.nodes() == "Gemm");
    CHECK(floats(b, 1) == Floats{0.5, 4, 1.5, 8});  // factors 1 / sqrt(4) and 2 / sqrt(1) of the columns
    CHECK(floats(b, 2) == Floats{5 - 0.5, 6 - 4});
  }
  SUBCASE("rows of a transposed matrix") {
    Bench b;
    CHECK(build(b, "Gemm", {Attr("transB", int64_t{1})}, {2, 2}) == 1);
    CHECK(floats(b, 1) == Floats{0.5, 1, 6, 8});
    CHECK(floats(b, 2) == Floats{5 + 0.5 * 9, 6 + 2 * 18});
  }
  SUBCASE("not if the Gemm has factors, or a bias for each row") {
    for (const char* factor : {"alpha", "beta"}) {
      Bench b;
      CHECK(build(b, "Gemm", {Attr(factor, 2.0)}, {2, 2}) == 0);
      CHECK(b.nodes() == "Gemm BatchNormalization");
    }
    Bench b;
    CHECK(build(b, "Gemm", {}, {2, 2}, {2, 1}) == 0);
  }
}

TEST_CASE("BatchNormalization becomes part of a quantised convolution") {
  const auto floats = [](Ints dims, const std::vector<float>& elements) {
    return Tensor::of(Dtype::float32, std::move(dims), elements);
  };
  const auto zero = [](Bench& b) { return b.emitter.constant(Tensor::of(Dtype::int8, {}, std::vector<int8_t>{0})); };
  const auto build = [&](Bench& b, const std::vector<float>& gamma, float step_behind, int8_t weight = 3) {
    const Value x = b.input("x", Dtype::float32, {"1", "2", "4", "4"});
    const Value step = b.emitter.constant(floats({}, {0.5F}));
    const Value q = b.emitter.emit_one("QuantizeLinear", {x, step, zero(b)});
    const Value w = b.model.add_parameter(
        "w", Tensor::of(Dtype::int8, {3, 2, 1, 1}, std::vector<int8_t>{1, -127, weight, 4, 5, 6}));
    const Value steps = b.emitter.constant(floats({3}, {1, 2, 3}));
    const Value y =
        b.emitter.emit_one("Conv", {b.emitter.emit_one("DequantizeLinear", {q, step}),
                                    b.emitter.emit_one("DequantizeLinear", {w, steps}, {Attr("axis", int64_t{0})})});
    const Value normalised =
        b.emitter.emit_one("BatchNormalization",
                           {y, b.emitter.constant(floats({3}, gamma)), b.emitter.constant(floats({3}, {1, 2, 3})),
                            b.emitter.constant(floats({3}, {4, 5, 6})), b.emitter.constant(floats({3}, {0.25, 1, 4}))},
                           {Attr("epsilon", 0.0)});
    const Value relu = b.emitter.emit_one("Relu", {normalised});
    const Value behind = b.emitter.constant(floats({}, {step_behind}));
    b.emitter.add_output(
        b.emitter.emit_one("DequantizeLinear", {b.emitter.emit_one("QuantizeLinear", {relu, behind, zero(b)}), behind}),
        "out");
    run_passes(b.model);
  };
  SUBCASE("in its steps and bias") {
    Bench b;
    build(b, {1, -2, 3}, 0.125F);
    CHECK(b.nodes() ==
          "QuantizeLinear DequantizeLinear DequantizeLinear Conv QuantizeLinear DequantizeLinear Relu QuantizeLinear "
          "DequantizeLinear");
    const auto& nodes = b.model.main().nodes;
    const Node& weights = b.model.node(nodes[2]);
    CHECK(b.floats(weights.inputs[1]) == Floats{2, 4, 4.5});
    CHECK(b.model[weights.inputs[0]].constant->elements<int8_t>() == std::vector<int8_t>{1, -127, -3, -4, 5, 6});
    CHECK(b.floats(b.model.node(nodes[3]).inputs[2]) == Floats{-7, 12, -6});
    // Before the activation, in the same steps.
    CHECK(b.floats(b.model.node(nodes[4]).inputs[1]) == Floats{0.125});
    CHECK(b.floats(b.model.node(nodes[5]).inputs[1]) == Floats{0.125});
  }
  const std::string unchanged =
      "QuantizeLinear DequantizeLinear DequantizeLinear Conv BatchNormalization Relu QuantizeLinear DequantizeLinear";
  SUBCASE("not with a factor of 0") {
    Bench b;
    build(b, {1, 0, 3}, 0.125F);
    CHECK(b.nodes() == unchanged);
  }
  SUBCASE("not when the bias would overflow") {
    Bench b;
    build(b, {1, 1e-9F, 3}, 0.125F);
    CHECK(b.nodes() == unchanged);
  }
  SUBCASE("not when -128 would change its sign") {
    Bench b;
    build(b, {1, -2, 3}, 0.125F, -128);
    CHECK(b.nodes() == unchanged);
  }
}

namespace {

Precision half(Dtype to = Dtype::float16) {
  Precision options;
  options.to = to;
  return options;
}

}  // namespace

TEST_CASE("in half precision, casts are at the borders only") {
  Bench b;
  const Value x = b.input("x", Dtype::float32, {"N", "4"});
  const Value w = b.model.add_parameter("w", counted({4, 4}));
  const Value y = b.emitter.emit_one("Relu", {b.emitter.emit_one("MatMul", {x, w})});
  b.emitter.add_output(y, "y");
  b.emitter.add_output(b.emitter.emit_one("Tanh", {y}), "z");
  Precision options = half();
  SUBCASE("inputs and outputs as they are") {
    lower_precision(b.model, options);
    CHECK(b.nodes() == "Cast MatMul Relu Cast Tanh Cast");
    CHECK(b.type(b.model.main().inputs[0]) == "float32[N,4]");
    CHECK(b.type(b.model.main().outputs[0]) == "float32[N,4]");
    CHECK(b.model[b.model.main().outputs[1]].name == "z");
  }
  SUBCASE("inputs and outputs too") {
    options.ports = true;
    lower_precision(b.model, options);
    CHECK(b.nodes() == "MatMul Relu Tanh");
    CHECK(b.type(b.model.main().inputs[0]) == "float16[N,4]");
    CHECK(b.type(b.model.main().outputs[1]) == "float16[N,4]");
  }
  SUBCASE("operators that are to stay") {
    options.keep = {"Relu"};
    lower_precision(b.model, options);
    CHECK(b.nodes() == "Cast MatMul Cast Relu Cast Tanh Cast");
  }
  SUBCASE("what ONNX Runtime cannot run stays, unless it is for another runtime") {
    lower_precision(b.model, half(Dtype::bfloat16));
    CHECK(b.nodes() == "MatMul Relu Tanh");
    options.to = Dtype::bfloat16;
    options.lower = {"all"};
    lower_precision(b.model, options);
    CHECK(b.nodes() == "Cast MatMul Relu Cast Tanh Cast");
  }
  CHECK_NOTHROW(onnx_bytes(b.model));
}

TEST_CASE("weights have 16 bits also where the node stays in float32") {
  Bench b;
  const Value x = b.input("x", Dtype::float32, {"N", "40"});
  const Value w = b.model.add_parameter("w", counted({40, 40}));
  b.emitter.add_output(b.emitter.emit_one("MatMul", {b.emitter.emit_one("MatMul", {x, w}), w}), "y");
  lower_precision(b.model, half(Dtype::bfloat16));
  run_passes(b.model);
  CHECK(b.nodes() == "Cast MatMul MatMul");
  CHECK(b.model.main().initializers.size() == 1);
  CHECK(b.type(b.model.main().initializers[0]) == "bfloat16[40,40]");
}

TEST_CASE("half precision applies to bodies") {
  Bench b;
  auto op = b.context();
  const Value x = b.input("x", Dtype::float32, {"4"});
  const Value w = b.model.add_parameter("w", counted({4}));
  const Values result = op.loop(3, {}, {x}, [&](Value iteration, const Values& carried) {
    const Value step = op.node("Cast", {iteration}, {Attr("to", Dtype::float32)}, 1)[0];
    return LoopIteration{{}, {op.node("Sum", {carried[0], w, x, step}, {}, 1)[0]}, {carried[0]}};
  });
  b.emitter.add_output(result[0], "last");
  b.emitter.add_output(result[1], "all");
  Precision options = half();
  SUBCASE("all in 16 bits") {
    lower_precision(b.model, options);
    run_passes(b.model);
    CHECK(b.nodes() == "Cast Loop Cast Cast");
    CHECK(b.type(b.model.graph(1).inputs[2]).starts_with("float16"));
    CHECK(b.type(b.model.graph(1).outputs[1]).starts_with("float16"));
  }
  SUBCASE("an operator of the body stays") {
    options.keep = {"Sum"};
    lower_precision(b.model, options);
    run_passes(b.model);
  }
  SUBCASE("the loop stays") {
    options.keep = {"Loop"};
    lower_precision(b.model, options);
    run_passes(b.model);
    CHECK(b.type(b.model.graph(1).inputs[2]).starts_with("float32"));
  }
  CHECK_NOTHROW(onnx_bytes(b.model));
}

TEST_CASE("sizes are computed in full precision") {
  Bench b;
  const Value x = b.input("x", Dtype::float32, {"N", "4"});
  const Value size = b.emitter.cast(b.emitter.emit_one("Shape", {x}), Dtype::float32);
  const Value half_size =
      b.emitter.emit_one("Mul", {size, b.emitter.constant(Tensor::of(Dtype::float32, {}, Floats32{0.5f}))});
  const Value wanted = b.emitter.cast(b.emitter.emit_one("Floor", {half_size}), Dtype::int64);
  b.emitter.add_output(b.emitter.emit_one("Slice", {b.emitter.emit_one("Relu", {x}),
                                                    b.emitter.constant(Tensor::int64s({0, 0})), wanted}),
                       "y");
  lower_precision(b.model, half());
  CHECK(b.nodes() == "Shape Cast Mul Floor Cast Cast Relu Slice Cast");
  CHECK_NOTHROW(onnx_bytes(b.model));
}

TEST_CASE("values out of float16's range become the nearest finite ones") {
  const float huge = 1e9f, tiny = 1e-9f, infinity = std::numeric_limits<float>::infinity();
  const auto tensor = Tensor::of(Dtype::float32, {6}, Floats32{1, huge, -huge, tiny, -tiny, infinity});
  CHECK(narrowed(tensor, Dtype::float16).as_floats() ==
        Floats{1, 65504, -65504, std::ldexp(1, -24), -std::ldexp(1, -24), infinity});
  CHECK(std::fabs(narrowed(tensor, Dtype::bfloat16).as_floats().value()[1] / huge - 1) < 0.01);
  CHECK(narrowed(tensor, Dtype::float16, Overflow::quarter).as_floats() ==
        Floats{1, 16384, -16384, std::ldexp(1, -24), -std::ldexp(1, -24), infinity});
  const Magnitudes half = magnitudes(tensor, Dtype::float16);
  CHECK(half.beyond == 2);
  CHECK(half.largest == huge);
  CHECK(half.smallest == tiny);
  CHECK(magnitudes(tensor, Dtype::bfloat16).beyond == 0);
  CHECK(magnitudes(Tensor::of(Dtype::float32, {2}, Floats32{0, -0.0F}), Dtype::float16).smallest == 0);
  CHECK(magnitudes(Tensor::of(Dtype::float32, {3}, Floats32{65519, -65520, infinity}), Dtype::float16).beyond == 1);
  CHECK(magnitudes(Tensor::of(Dtype::float32, {1}, Floats32{3.4e38F}), Dtype::bfloat16).beyond == 1);
}

namespace {

/// Builds a float32 model of x [N, 4, 8, 8].
struct RangeBench : Bench {
  Value x = input("x", Dtype::float32, {"N", "4", "8", "8"});
  Value number(float value) { return emitter.constant(Tensor::of(Dtype::float32, {}, Floats32{value})); }
  Value numbers(float value) { return model.add_parameter("p", Tensor::of(Dtype::float32, {4}, Floats32(4, value))); }
  Value node(const char* op, const Values& in, const Attrs& attrs = {}) { return emitter.emit_one(op, in, attrs); }
  Value normalise(Value v, float variance) {
    return node("BatchNormalization", {v, numbers(1), numbers(0.5F), numbers(2), numbers(variance)});
  }
  std::vector<std::string> lower(Value out, Dtype to = Dtype::float16) {
    emitter.add_output(out, "y");
    auto warnings = lower_precision(model, half(to));
    run_passes(model);
    CHECK_NOTHROW(onnx_bytes(model));
    return warnings;
  }
};

}  // namespace

TEST_CASE("in half precision, statistics out of range keep a normalisation in float32") {
  RangeBench b;
  const auto warnings = b.lower(b.node("Relu", {b.normalise(b.node("Tanh", {b.x}), 1e8F)}));
  CHECK(b.nodes() == "Cast Tanh Cast BatchNormalization Cast Relu Cast");
  REQUIRE(warnings.size() == 1);
  CHECK(warnings[0] ==
        "'p_3': 4 of 4 values exceed the range of float16 (largest: 1e+08): BatchNormalization is kept in float32");
}

TEST_CASE("in half precision, other statistics do not") {
  RangeBench b;
  CHECK(b.lower(b.normalise(b.node("Tanh", {b.x}), 100)).empty());
  CHECK(b.nodes() == "Cast Tanh BatchNormalization Cast");
}

TEST_CASE("in half precision, a normalisation becomes part of the convolution before it") {
  RangeBench b;
  const Value w = b.model.add_parameter("w", Tensor::of(Dtype::float32, {4, 4, 1, 1}, Floats32(16, 1000)));
  CHECK(b.lower(b.normalise(b.node("Conv", {b.x, w}), 1e8F)).empty());
  CHECK(b.nodes() == "Cast Conv Cast");
  const Node& conv = b.model.node(b.model.main().nodes[1]);
  CHECK(b.floats(conv.inputs[1])[0] == doctest::Approx(0.1).epsilon(1e-3));
  CHECK(b.floats(conv.inputs[2])[0] == doctest::Approx(0.4998).epsilon(1e-3));
}

TEST_CASE("in half precision, masks of -1e9 become finite numbers") {
  RangeBench b;
  const Value mask = b.node("Mul", {b.x, b.number(-1e9F)});
  const auto warnings = b.lower(b.node("Softmax", {b.node("Add", {b.node("Tanh", {b.x}), mask})}));
  CHECK(b.nodes() == "Cast Mul Tanh Add Softmax Cast");
  CHECK(b.floats(b.model.node(b.model.main().nodes[1]).inputs[1])[0] == -16384);
  CHECK(warnings.size() == 1);
}

TEST_CASE("in half precision, factors out of range and nodes that use the product stay in float32") {
  RangeBench b;
  const Value large = b.node("Mul", {b.node("Tanh", {b.x}), b.number(1e9F)});
  SUBCASE("until it is in range again") {
    const auto warnings = b.lower(b.node("Relu", {b.node("Sigmoid", {b.node("Add", {large, b.x})})}));
    CHECK(b.nodes() == "Cast Tanh Cast Mul Add Sigmoid Cast Relu Cast");
    CHECK(warnings.size() == 1);
  }
  SUBCASE("not for bfloat16, which has the range") {
    Precision options = half(Dtype::bfloat16);
    options.lower = {"all"};
    b.emitter.add_output(large, "y");
    CHECK(lower_precision(b.model, options).empty());
    CHECK(b.nodes() == "Cast Tanh Mul Cast");
  }
  SUBCASE("unless they are to be lowered") {
    Precision options = half();
    options.lower = {"Mul"};
    b.emitter.add_output(large, "y");
    const auto warnings = lower_precision(b.model, options);
    CHECK(b.nodes() == "Cast Tanh Mul Cast");
    REQUIRE(warnings.size() == 1);
    CHECK(warnings[0].ends_with("replaced by 6.55e+04"));
  }
}

TEST_CASE("in half precision, sums of squares stay in float32 up to the division by the root") {
  RangeBench b;
  const Value mean = b.node("ReduceMean", {b.node("Mul", {b.x, b.x})}, {Attr("axes", Ints{3})});
  const Value root = b.node("Sqrt", {b.node("Add", {mean, b.number(1e-12F)})});
  b.lower(b.node("Relu", {b.node("Div", {b.x, root})}));
  CHECK(b.nodes() == "Mul ReduceMean Add Sqrt Div Cast Relu Cast");
}

TEST_CASE("in half precision, a tensor that is compared with its own maximum is not rounded before") {
  RangeBench b;
  const Value heat = b.node("Tanh", {b.x});
  const Value pooled = b.node("MaxPool", {heat}, {Attr("kernel_shape", Ints{1, 1})});
  const Value kept = b.emitter.cast(b.node("Equal", {pooled, heat}), Dtype::float32);
  b.lower(b.node("Mul", {b.node("Relu", {kept}), heat}));
  CHECK(b.nodes() == "Cast Tanh Cast MaxPool Equal Cast Relu Mul Cast");
}

TEST_CASE("in half precision, a sequence of one tensor has float32 elements like all others") {
  RangeBench b;
  const Value sequence = b.node("SequenceConstruct", {b.node("Tanh", {b.x})});
  b.lower(b.node("SequenceAt", {sequence, b.emitter.constant(Tensor::int64_scalar(0))}));
  CHECK(b.nodes() == "Cast Tanh Cast SequenceConstruct SequenceAt");
}

TEST_CASE("in half precision, an attribute out of range keeps a node in float32") {
  RangeBench b;
  b.lower(b.node("LeakyRelu", {b.node("Tanh", {b.x})}, {Attr("alpha", 1e-8)}));
  CHECK(b.nodes() == "Cast Tanh Cast LeakyRelu");
}

TEST_CASE("numbers are narrowed as single conversions do, except those that become infinite or 0") {
  std::vector<uint32_t> wide;
  for (uint32_t high = 0; high < 0x10000; ++high) {
    for (const uint32_t low :
         {0U, 1U, 0xfffU, 0x1000U, 0x1001U, 0x3000U, 0x7fffU, 0x8000U, 0x8001U, 0xf000U, 0xffffU}) {
      wide.push_back(high << 16 | low);
    }
  }
  const std::span<const uint8_t> from(reinterpret_cast<const uint8_t*>(wide.data()), wide.size() * sizeof wide[0]);
  std::vector<uint16_t> half(wide.size()), brain(wide.size());
  narrow(from, Dtype::float16, reinterpret_cast<uint8_t*>(half.data()));
  narrow(from, Dtype::bfloat16, reinterpret_cast<uint8_t*>(brain.data()));
  const auto expected = [](uint32_t bits, uint16_t direct, uint16_t infinity) {
    const uint32_t rest = bits & 0x7fffffffU;
    if ((direct & 0x7fffU) == infinity && rest < 0x7f800000U) return static_cast<uint16_t>(direct - 1);
    if ((direct & 0x7fffU) == 0 && rest != 0) return static_cast<uint16_t>(direct + 1);
    return direct;
  };
  size_t wrong = 0;
  for (size_t i = 0; i < wide.size(); ++i) {
    const auto value = std::bit_cast<float>(wide[i]);
    wrong += half[i] != expected(wide[i], float_to_half(value), 0x7c00);
    wrong += brain[i] != expected(wide[i], float_to_bfloat16(value), 0x7f80);
  }
  CHECK(wrong == 0);
}
