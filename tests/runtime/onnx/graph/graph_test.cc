#include <doctest/doctest.h>

#include <cmath>

#include "runtime/onnx/graph/infer.h"
#include "runtime/onnx/graph/schema_registry.h"
#include "runtime/support/refused.h"
#include "tests/runtime/onnx/graph/fixture.h"

using namespace fluid2onnx;
using test::Bench;

TEST_CASE("a Slice or TopK with dynamic bounds keeps the sizes of other axes") {
  for (const int opset : {10, 11, 17, newest_opset()}) {
    CAPTURE(opset);
    Bench b(opset);
    const Value x = b.input("x", Dtype::float32, {"N", "T", "8"});
    const Value end = b.input("end", Dtype::int64, {"1"});
    const auto ints = [&](const Ints& elements) { return b.emitter.constant(Tensor::int64s(elements)); };
    CHECK(b.type(b.emitter.emit_one("Slice", {x, ints({0}), end, ints({1})})) == "float32[N,?,8]");
    CHECK(b.type(b.emitter.emit_one("Slice", {x, ints({0}), end, ints({-1})})) == "float32[N,T,?]");
    CHECK(b.type(b.emitter.emit_one("Slice", {x, ints({0}), end})) == "float32[?,T,8]");
    const Values top = b.emitter.emit("TopK", {x, end}, {Attr("axis", 1)}, 2);
    CHECK(b.type(top[0]) == "float32[N,?,8]");
    CHECK(b.type(top[1]) == "int64[N,?,8]");
  }
}

TEST_CASE("names are unique and deterministic") {
  Bench b;
  const Value x = b.input("x", Dtype::float32, {"2"});
  b.model.set_name_prefix("conv2d_0.tmp_0");
  const Value y = b.emitter.emit_one("Relu", {x});
  const Value z = b.emitter.emit_one("Relu", {y});
  CHECK(b.model[y].name == "conv2d_0.tmp_0/Relu");
  CHECK(b.model[z].name == "conv2d_0.tmp_0/Relu_1");
  b.model.rename(z, "x");
  CHECK(b.model[z].name == "x_1");
  b.model.rename(z, "other");
  CHECK(b.model[z].name == "x_1");  // a name that the user knows stays
}

TEST_CASE("rolling back leaves nothing") {
  Bench b;
  const Value x = b.input("x", Dtype::float32, {"N", "3"});
  const Value y = b.emitter.emit_one("Relu", {x});
  const auto mark = b.emitter.mark();
  const std::string before = b.nodes();
  for (int i = 0; i < 2; ++i) {
    const Value shape = b.emitter.emit_one("Shape", {y});
    CHECK(shape.id == static_cast<int>(mark.model.values));
    CHECK(b.model[shape].name == "Shape");
    b.model.rename(shape, "known");
    b.model.enter();
    b.emitter.emit_one("Sigmoid", {x});
    b.emitter.constant(Tensor::int64s({1, 2, 3}));
    b.emitter.rollback(mark);
    CHECK(b.nodes() == before);
    CHECK(b.model.graph_count() == 1);
    CHECK(b.model.main().initializers.empty());
    CHECK(b.model.constant_bytes() == 0);
  }
}

TEST_CASE("rolling back restores the bytes of lazy constants that are left") {
  Bench b;
  const Value w = b.model.add_parameter("w", Tensor(Dtype::uint8, {1 << 20}, std::vector<uint8_t>(1 << 20)));
  for (int i = 0; i < 20; ++i) {  // each Concat adds 1 MiB; 8 MiB are allowed
    const auto mark = b.emitter.mark();
    CHECK(b.emitter.constant_of(b.emitter.emit_one("Concat", {w, w}, {Attr("axis", 0)})) != nullptr);
    b.emitter.rollback(mark);
  }
}

TEST_CASE("types and shapes follow the nodes") {
  Bench b;
  const Value x = b.input("x", Dtype::float32, {"N", "3", "H", "W"});
  const Value w = b.model.add_parameter("w", Tensor(Dtype::float32, {8, 3, 3, 3}, std::vector<uint8_t>(864)));
  const Value y = b.emitter.emit_one("Conv", {x, w}, {Attr("kernel_shape", Ints{3, 3})});
  CHECK(b.type(y) == "float32[N,8,?,?]");
  const Value flat = b.emitter.emit_one("Flatten", {y}, {Attr("axis", 1)});
  CHECK(b.type(flat) == "float32[N,?]");
  // A function of ONNX without inference, and one whose body depends on its operands.
  CHECK(b.type(b.emitter.emit_one("HardSwish", {y})) == "float32[N,8,?,?]");
  const Value softmax = b.emitter.emit_one("LogSoftmax", {flat});
  CHECK(b.type(softmax) == "float32[N,?]");
  const Values normal = b.emitter.emit("LayerNormalization", {y, w}, {Attr("axis", -1)}, 1);
  CHECK(b.type(normal[0]) == "float32[N,8,?,?]");
}

TEST_CASE("shapes pass functions of ONNX whose bodies compute with sizes") {
  Bench b(21);
  const Value x = b.input("x", Dtype::float32, {"N", "4", "H", "W"});
  const Value ones = b.model.add_parameter("ones", Tensor(Dtype::float32, {4}, std::vector<uint8_t>(16)));
  const Value y = b.emitter.emit_one("GroupNormalization", {x, ones, ones}, {Attr("num_groups", 2)});
  CHECK(b.type(y) == "float32[N,4,H,W]");
  CHECK(b.type(b.emitter.emit_one("MeanVarianceNormalization", {y})) == "float32[N,4,H,W]");
}

TEST_CASE("shapes are followed element by element") {
  Bench b;
  const Value x = b.input("x", Dtype::float32, {"N", "12", "64"});
  const Value shape = b.emitter.emit_one("Shape", {x});
  // An element that is known makes a constant.
  const Value one = b.emitter.emit_one("Gather", {shape, b.emitter.constant(Tensor::int64_scalar(1))});
  CHECK(b.ints(one) == Ints{12});
  const Value n = b.emitter.emit_one("Gather", {shape, b.emitter.constant(Tensor::int64s({0}))});
  const Value wanted =
      b.emitter.emit_one("Concat", {n, b.emitter.constant(Tensor::int64s({4, 192}))}, {Attr("axis", 0)});
  CHECK(b.type(b.emitter.emit_one("Reshape", {x, wanted})) == "float32[N,4,192]");
  CHECK(b.nodes() == "Shape Gather Concat Reshape");
}

TEST_CASE("older opsets follow sizes, too") {
  for (const int opset : {7, 9, 11, 13}) {
    CAPTURE(opset);
    Bench b(opset);
    const Value x = b.input("x", Dtype::float32, {"N", "T", "8"});
    const Value shape = b.emitter.emit_one("Shape", {x});
    const auto ints = [&](const Ints& elements) { return b.emitter.constant(Tensor::int64s(elements)); };
    const Value batch = b.emitter.emit_one("Gather", {shape, ints({0})}, {Attr("axis", 0)});
    const Value sizes = b.emitter.emit_one("Concat", {batch, ints({8}), ints({-1})}, {Attr("axis", 0)});
    CHECK(b.type(b.emitter.emit_one("Reshape", {x, sizes})) == "float32[N,8,?]");
  }
}

TEST_CASE("a slice of a shape from an unknown start has unknown elements") {
  Bench b;
  const Value shape = b.emitter.emit_one("Shape", {b.input("x", Dtype::float32, {"2", "12", "64"})});
  const Value dynamic = b.emitter.emit_one("Shape", {b.input("y", Dtype::float32, {"N", "12", "64"})});
  const auto ints = [&](int64_t n) { return b.emitter.constant(Tensor::int64s({n})); };
  const Value from = b.input("from", Dtype::int64, {"1"});
  CHECK(b.ints(shape) == Ints{2, 12, 64});
  CHECK(b.ints(b.emitter.emit_one("Slice", {dynamic, ints(1), ints(3)})) == Ints{12, 64});
  for (const Value whole : {shape, dynamic}) {
    const Value part = b.emitter.emit_one("Slice", {whole, from, ints(2)});
    CHECK_FALSE(b.model[part].constant);
    CHECK_FALSE(b.model[part].elements);
    CHECK_FALSE(b.model[b.emitter.emit_one("Slice", {whole, ints(0), from})].elements);
  }
}

TEST_CASE("a shape operand of known length gives the rank, in older opsets too") {
  Bench b(9);
  const Value x = b.input("x", Dtype::float32, {"N", "12"});
  const Value wanted = b.input("wanted", Dtype::int64, {"3"});
  CHECK(b.emitter.model().shape(b.emitter.emit_one("Reshape", {x, wanted}))->dim_size() == 3);
  CHECK(b.emitter.model().shape(b.emitter.emit_one("ConstantOfShape", {wanted}))->dim_size() == 3);
}

TEST_CASE("a static shape is a constant") {
  Bench b;
  const Value x = b.input("x", Dtype::float32, {"2", "3"});
  CHECK(b.ints(b.emitter.emit_one("Shape", {x})) == Ints{2, 3});
  CHECK(b.ints(b.emitter.emit_one("Size", {x})) == Ints{6});
  CHECK(b.nodes().empty());
}

TEST_CASE("equal shape arithmetic is found again, also from a body") {
  Bench b;
  const Value x = b.input("x", Dtype::float32, {"N", "3"});
  const Value a = b.emitter.emit_one("Shape", {x});
  CHECK(b.emitter.emit_one("Shape", {x}) == a);
  b.model.enter();
  CHECK(b.emitter.emit_one("Shape", {x}) == a);
  const Value c = b.emitter.constant(Tensor::int64s({7}));
  CHECK(b.emitter.constant(Tensor::int64s({7})) == c);
  b.model.leave();
  CHECK(!(b.emitter.constant(Tensor::int64s({7})) == c));
}

TEST_CASE("nodes that change nothing are not emitted") {
  Bench b;
  const Value x = b.input("x", Dtype::float32, {"2", "3"});
  const Value n = b.input("n", Dtype::float32, {"N", "3"});
  const auto ints = [&](const Ints& list) { return b.emitter.constant(Tensor::int64s(list)); };
  CHECK(b.emitter.cast(x, Dtype::float32) == x);
  CHECK(b.emitter.emit_one("Identity", {x}) == x);
  CHECK(b.emitter.emit_one("Reshape", {x, ints({2, 3})}) == x);
  CHECK(b.emitter.emit_one("Reshape", {x, ints({-1, 3})}) == x);
  CHECK(b.emitter.emit_one("Reshape", {n, ints({0, 3})}) == n);
  CHECK(b.emitter.emit_one("Reshape", {n, b.emitter.emit_one("Shape", {n})}) == n);
  CHECK(b.emitter.emit_one("Transpose", {x}, {Attr("perm", Ints{0, 1})}) == x);
  CHECK(b.emitter.emit_one("Unsqueeze", {x, ints({})}) == x);
  CHECK(b.emitter.emit_one("Squeeze", {x, ints({})}) == x);
  CHECK(b.emitter.emit_one("Slice", {x, ints({0}), ints({3}), ints({1})}) == x);
  CHECK(b.emitter.emit_one("Slice", {n, ints({0}), ints({INT64_MAX}), ints({0})}) == n);
  CHECK(b.emitter.emit_one("Expand", {x, ints({1, 3})}) == x);
  CHECK(b.emitter.emit_one("Tile", {n, ints({1, 1})}) == n);
  CHECK(b.emitter.emit_one("Concat", {n}, {Attr("axis", 0)}) == n);
  CHECK(b.emitter.emit_one("Pad", {n, ints({0, 0, 0, 0})}) == n);
  CHECK(b.nodes() == "Shape");
  b.emitter.emit_one("Reshape", {n, ints({-1, 3})});
  b.emitter.emit_one("Slice", {n, ints({0}), ints({3}), ints({0})});
  b.emitter.emit_one("Transpose", {x});
  CHECK(b.nodes() == "Shape Reshape Slice Transpose");
}

TEST_CASE("refusals tell what would help") {
  Bench b(8);
  const Value x = b.input("x", Dtype::float32, {"2", "3"});
  try {
    b.emitter.emit_one("Erf", {x});
    FAIL("not refused");
  } catch (const Refused& e) {
    CHECK(e.code() == E_OPSET);
    CHECK(e.lowest_opset() == 9);
  }
  const Value i = b.input("i", Dtype::int64, {"2", "3"});
  CHECK_THROWS_WITH_AS(
      b.emitter.emit_one("Add", {x, i}),
      "the operands of 'Add' have different dtypes: 'i' is int64, others are float32 [E_DTYPE_MISMATCH]", Refused);
  const Value y = b.input("y", Dtype::float32, {"4", "5"});
  CHECK_THROWS_AS(b.emitter.emit_one("MatMul", {x, y}), Refused);
  CHECK_THROWS_AS(b.emitter.emit_one("Relu", {x, x}), Error);
  CHECK_THROWS_AS(b.emitter.emit_one("Relu", {x}, {Attr("alpha", 1.0)}), Error);
}

TEST_CASE("types of alternatives are merged") {
  onnx::TypeProto a = tensor_type(Dtype::float32, Ints{2, -1, 4});
  CHECK(merge_types(&a, tensor_type(Dtype::float32, Ints{2, 3, 5})));
  CHECK(same_type(a, tensor_type(Dtype::float32, Ints{2, -1, -1})));
  CHECK(merge_types(&a, tensor_type(Dtype::float32, Ints{2})));
  CHECK(same_type(a, tensor_type(Dtype::float32)));
  CHECK(!merge_types(&a, tensor_type(Dtype::int64)));
}

TEST_CASE("our registry has the schemas of ONNX's") {
  size_t all = 0;
  for (const onnx::OpSchema& theirs : onnx::OpSchemaRegistry::get_all_schemas_with_history()) {
    if (!theirs.domain().empty()) continue;
    CAPTURE(theirs.Name());
    CAPTURE(theirs.SinceVersion());
    const onnx::OpSchema* ours = schema_registry().GetSchema(theirs.Name(), theirs.SinceVersion());
    REQUIRE(ours);
    CHECK(ours->SinceVersion() == theirs.SinceVersion());
    CHECK(ours->Deprecated() == theirs.Deprecated());
    CHECK(ours->inputs().size() == theirs.inputs().size());
    if (theirs.has_type_and_shape_inference_function()) CHECK(ours->has_type_and_shape_inference_function());
    ++all;
  }
  CHECK(all == schema_makers().size());
  CHECK_FALSE(schema_registry().GetSchema("LayerNormalization", 16));
  CHECK(schema_registry().GetSchema("Relu", 13)->SinceVersion() == 13);
  CHECK_FALSE(schema_registry().GetSchema("Nothing", 13));
  CHECK(schema_registry().GetSchema("Gradient", 1, "ai.onnx.preview.training"));
}

TEST_CASE("arithmetic that changes nothing is left out") {
  Bench b;
  const Value n = b.input("n", Dtype::int64, {"2"});
  const Value x = b.input("x", Dtype::float32, {"N", "3"});
  const auto ints = [&](const Ints& list) { return b.emitter.constant(Tensor::int64s(list)); };
  const Value one = b.emitter.constant(Tensor::of(Dtype::float32, {}, std::vector<float>{1}));
  const Value zero = b.emitter.constant(Tensor::of(Dtype::float32, {1}, std::vector<float>{0}));
  CHECK(b.emitter.emit_one("Mul", {n, ints({1, 1})}) == n);
  CHECK(b.emitter.emit_one("Mul", {ints({1}), n}) == n);
  CHECK(b.emitter.emit_one("Sub", {n, ints({0})}) == n);
  CHECK(b.emitter.emit_one("Div", {n, ints({1})}) == n);
  CHECK(b.nodes() == "");
  b.emitter.emit_one("Add", {x, zero});          // -0 + 0 is 0
  b.emitter.emit_one("Sub", {ints({0, 0}), n});  // the other way round
  b.emitter.emit_one("Mul", {x, one});
  b.emitter.emit_one("Mul", {n, b.emitter.constant(Tensor::of(Dtype::int64, {2, 1}, Ints{1, 1}))});  // larger
  b.emitter.emit_one("Mul", {n, ints({1, 2})});
  CHECK(b.nodes() == "Add Sub Mul Mul Mul");
}

TEST_CASE("nodes with the same attributes share them until those of one are changed") {
  Bench b;
  const Value x = b.input("x", Dtype::float32, {"2", "3"});
  const auto emit = [&](double alpha) -> Node& {
    return b.model.node(b.model[b.emitter.emit_one("LeakyRelu", {x}, {Attr("alpha", alpha)})].producer);
  };
  Node &one = emit(0.0), &same = emit(0.0), &other = emit(-0.0);
  CHECK(&*one.attributes.begin() == &*same.attributes.begin());
  CHECK(std::signbit(other.attributes.begin()->f()));
  one.attributes.edit().front().set_f(2);
  CHECK(same.attributes.begin()->f() == 0);
  CHECK(emit(0.0).attributes.begin()->f() == 0);
}
