#include <doctest/doctest.h>

#include <chrono>
#include <cmath>

#include "runtime/onnx/graph/constant.h"
#include "runtime/onnx/graph/evaluate/evaluate.h"
#include "runtime/support/error.h"
#include "tests/runtime/onnx/graph/fixture.h"

using namespace fluid2onnx;

namespace {

Tensor ints(const Ints& dims, const Ints& elements) { return Tensor::of(Dtype::int64, dims, elements); }
Tensor floats(const Ints& dims, const std::vector<float>& elements) {
  return Tensor::of(Dtype::float32, dims, elements);
}

evaluation::Results run(std::string_view op, const std::vector<Tensor>& inputs, const Attrs& attrs = {}, int opset = 17,
                        int outputs = 1) {
  evaluation::Call call{op, opset, {}, &attrs, outputs, evaluation::kNoLimit};
  for (const Tensor& t : inputs) call.inputs.push_back(t.dtype() == Dtype::undefined ? nullptr : &t);
  return evaluation::evaluate(call);
}

Ints ints_of(const evaluation::Results& results, size_t i = 0) {
  REQUIRE(results.has_value());
  return results->at(i).as_ints().value();
}

Floats floats_of(const evaluation::Results& results) {
  REQUIRE(results.has_value());
  return results->front().as_floats().value();
}

}  // namespace

TEST_CASE("Clip computes a lazy bound once") {
  const auto large = floats({1024, 1024}, std::vector<float>(1 << 20, 2));
  const auto transposed = Tensor::computed(Dtype::float32, {1024, 1024}, {"Transpose", 17, {}, {large}, 0, 1});
  REQUIRE(transposed.has_value());
  const Tensor zeros = Tensor::int64s({0, 0}), ones = Tensor::int64s({1, 1}), axes = Tensor::int64s({0, 1});
  const auto bound = Tensor::computed(Dtype::float32, {}, {"Slice", 17, {}, {*transposed, zeros, ones, axes}, 0, 1});
  REQUIRE(bound.has_value());
  const auto start = std::chrono::steady_clock::now();
  const auto result = run("Clip", {floats({5000}, std::vector<float>(5000, 3)), Tensor(), *bound});
  CHECK(floats_of(result) == Floats(5000, 2));
  // Transposing once per element would take half a minute.
  CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(5));
}

TEST_CASE("arithmetic") {
  CHECK(ints_of(run("Add", {ints({2, 1}, {1, 2}), ints({3}, {10, 20, 30})})) == Ints{11, 21, 31, 12, 22, 32});
  CHECK(ints_of(run("Div", {ints({4}, {7, -7, 7, -7}), ints({4}, {2, 2, -2, -2})})) == Ints{3, -3, -3, 3});
  CHECK(ints_of(run("Mod", {ints({4}, {7, -7, 7, -7}), ints({4}, {2, 2, -2, -2})})) == Ints{1, 1, -1, -1});
  CHECK(ints_of(run("Mod", {ints({2}, {-7, 7}), ints({2}, {2, -2})}, {Attr("fmod", 1)})) == Ints{-1, 1});
  CHECK(floats_of(run("Div", {floats({1}, {1}), floats({1}, {4})})) == Floats{0.25});
  CHECK(!run("Div", {ints({1}, {1}), ints({1}, {0})}));
  CHECK(!run("Div", {ints({1}, {INT64_MIN}), ints({1}, {-1})}));
  CHECK(ints_of(run("Add", {ints({1}, {INT64_MAX}), ints({1}, {1})})) == Ints{INT64_MIN});
  CHECK(ints_of(run("Pow", {ints({1}, {3}), ints({1}, {4})})) == Ints{81});
  CHECK(ints_of(run("Max", {ints({2}, {1, 5}), ints({}, {3}), ints({}, {2})})) == Ints{3, 5});
  CHECK(!run("Add", {ints({1}, {1}), floats({1}, {1})}));
  CHECK(!run("Add", {ints({2}, {1, 2}), ints({3}, {1, 2, 3})}));
  CHECK(ints_of(run("Neg", {ints({1}, {5})})) == Ints{-5});
  CHECK(floats_of(run("Round", {floats({4}, {0.5f, 1.5f, -2.5f, 2.4f})})) == Floats{0, 2, -2, 2});
  CHECK(floats_of(run("Clip", {floats({3}, {-1, 0.5f, 9}), floats({}, {0}), floats({}, {6})})) == Floats{0, 0.5, 6});
  CHECK(floats_of(run("Clip", {floats({3}, {-1, 0.5f, 9})}, {Attr("min", 0.0), Attr("max", 6.0)}, 6)) ==
        Floats{0, 0.5, 6});
}

TEST_CASE("casts") {
  const auto cast = [](const Tensor& t, Dtype to) { return run("Cast", {t}, {Attr("to", to)}); };
  CHECK(ints_of(cast(floats({3}, {1.9f, -1.9f, 0}), Dtype::int32)) == Ints{1, -1, 0});
  CHECK(ints_of(cast(floats({2}, {0.1f, 0}), Dtype::bool_)) == Ints{1, 0});
  CHECK(!cast(floats({1}, {300}), Dtype::int8));
  CHECK(!cast(floats({1}, {NAN}), Dtype::int64));
  CHECK(!cast(floats({1}, {9.3e18f}), Dtype::int64));
  CHECK(ints_of(cast(ints({1}, {300}), Dtype::uint8)) == Ints{44});
  CHECK(floats_of(cast(cast(floats({4}, {65504, 65520, 1e-8f, 0.1f}), Dtype::float16)->front(), Dtype::float32)) ==
        Floats{65504, INFINITY, 0, 0.0999755859375});
}

TEST_CASE("moving elements") {
  const Tensor x = ints({2, 3}, {1, 2, 3, 4, 5, 6});
  CHECK(ints_of(run("Transpose", {x})) == Ints{1, 4, 2, 5, 3, 6});
  CHECK(ints_of(run("Gather", {x, ints({2}, {-1, 0})}, {Attr("axis", 1)})) == Ints{3, 1, 6, 4});
  CHECK(!run("Gather", {x, ints({1}, {3})}, {Attr("axis", 1)}));
  CHECK(ints_of(run("Slice", {x, ints({1}, {-1}), ints({1}, {INT64_MIN}), ints({1}, {1}), ints({1}, {-2})})) ==
        Ints{3, 1, 6, 4});
  CHECK(ints_of(run("Slice", {x, ints({1}, {1}), ints({1}, {100}), ints({1}, {0})})) == Ints{4, 5, 6});
  CHECK(ints_of(run("Slice", {x}, {Attr("starts", Ints{0}), Attr("ends", Ints{1}), Attr("axes", Ints{1})}, 9)) ==
        Ints{1, 4});
  CHECK(run("Slice", {x, ints({1}, {2}), ints({1}, {1}), ints({1}, {0})})->front().dims() == Ints{0, 3});
  CHECK(run("Slice", {ints({0}, {}), ints({1}, {-1}), ints({1}, {-9}), ints({1}, {0}), ints({1}, {-1})})
            ->front()
            .dims() == Ints{0});
  CHECK(ints_of(run("Concat", {x, ints({2, 1}, {7, 8})}, {Attr("axis", -1)})) == Ints{1, 2, 3, 7, 4, 5, 6, 8});
  CHECK(ints_of(run("Pad", {ints({1, 2}, {7, 8}), ints({4}, {1, 0, 0, 2})})) == Ints{0, 0, 0, 0, 7, 8, 0, 0});
  CHECK(!run("Pad", {x, ints({4}, {-1, 0, 0, 0})}));
  CHECK(!run("Pad", {x, ints({4}, {1, 0, 0, 0})}, {Attr("mode", std::string("edge"))}));
  CHECK(!run("Pad", {x, ints({4}, {1, 0, 0, 0}), ints({}, {9})}));
  CHECK(ints_of(run("Expand", {ints({2, 1}, {1, 2}), ints({3}, {2, 1, 2})})) == Ints{1, 1, 2, 2, 1, 1, 2, 2});
  CHECK(ints_of(run("Tile", {ints({2}, {1, 2}), ints({1}, {2})})) == Ints{1, 2, 1, 2});
  CHECK(ints_of(run("Split", {x, ints({2}, {1, 2})}, {Attr("axis", 1)}, 13, 2), 1) == Ints{2, 3, 5, 6});
  const Tensor condition(Dtype::bool_, {2}, {1, 0});
  CHECK(ints_of(run("Where", {condition, ints({2}, {1, 2}), ints({}, {9})})) == Ints{1, 9});
}

TEST_CASE("changing dims") {
  const Tensor x = ints({2, 3}, {1, 2, 3, 4, 5, 6});
  CHECK(run("Reshape", {x, ints({2}, {0, -1})})->front().dims() == Ints{2, 3});
  CHECK(!run("Reshape", {x, ints({2}, {4, -1})}));
  CHECK(run("Reshape", {ints({0, 3}, {}), ints({2}, {3, 0})}, {Attr("allowzero", 1)})->front().dims() == Ints{3, 0});
  CHECK(run("Unsqueeze", {x, ints({2}, {0, -1})})->front().dims() == Ints{1, 2, 3, 1});
  CHECK(run("Unsqueeze", {x}, {Attr("axes", Ints{1})}, 11)->front().dims() == Ints{2, 1, 3});
  CHECK(run("Squeeze", {x.reshaped({1, 2, 1, 3}), ints({1}, {2})})->front().dims() == Ints{1, 2, 3});
  CHECK(run("Squeeze", {x.reshaped({1, 2, 1, 3})})->front().dims() == Ints{2, 3});
  CHECK(!run("Squeeze", {x, ints({1}, {0})}));
  CHECK(run("Flatten", {x.reshaped({1, 2, 3})}, {Attr("axis", 2)})->front().dims() == Ints{2, 3});
  CHECK(ints_of(run("Shape", {x}, {Attr("start", -1)})) == Ints{3});
}

TEST_CASE("reductions") {
  const Tensor x = ints({2, 3}, {1, 2, 3, 4, 5, 6});
  CHECK(ints_of(run("ReduceSum", {x, ints({1}, {0})}, {Attr("keepdims", 0)})) == Ints{5, 7, 9});
  CHECK(run("ReduceSum", {x, ints({1}, {0})})->front().dims() == Ints{1, 3});
  CHECK(ints_of(run("ReduceProd", {x}, {Attr("keepdims", 0)})) == Ints{720});
  CHECK(ints_of(run("ReduceSumSquare", {x}, {Attr("keepdims", 0)})) == Ints{91});
  CHECK(!run("ReduceMean", {x}));  // a float's business
  CHECK(floats_of(run("ReduceMean", {floats({2, 2}, {1, 2, 3, 6})}, {Attr("axes", Ints{1})})) == Floats{1.5, 4.5});
  CHECK(floats_of(run("ReduceL2", {floats({2}, {3, 4})})) == Floats{5});
  CHECK(ints_of(run("ReduceMax", {x}, {Attr("axes", Ints{-1}), Attr("keepdims", 0)})) == Ints{3, 6});
  CHECK(ints_of(run("ReduceSum", {x, ints({0}, {})}, {Attr("noop_with_empty_axes", 1)})) == Ints{1, 2, 3, 4, 5, 6});
  CHECK(ints_of(run("CumSum", {x, ints({}, {1})}, {Attr("exclusive", 1), Attr("reverse", 1)})) ==
        Ints{5, 3, 0, 11, 6, 0});
}

TEST_CASE("generation") {
  CHECK(ints_of(run("Range", {ints({}, {5}), ints({}, {0}), ints({}, {-2})})) == Ints{5, 3, 1});
  CHECK(run("Range", {ints({}, {5}), ints({}, {0}), ints({}, {1})})->front().dims() == Ints{0});
  CHECK(!run("Range", {ints({}, {5}), ints({}, {0}), ints({}, {0})}));
  // Numbers that float64 cannot represent, and a list that ends at the last integer.
  constexpr int64_t kExact = int64_t{1} << 53;
  CHECK(ints_of(run("Range", {ints({}, {kExact}), ints({}, {kExact + 1}), ints({}, {1})})) == Ints{kExact});
  CHECK(ints_of(run("Range", {ints({}, {INT64_MAX - 5}), ints({}, {INT64_MAX}), ints({}, {4})})) ==
        Ints{INT64_MAX - 5, INT64_MAX - 1});
  CHECK(!run("Range", {ints({}, {INT64_MIN}), ints({}, {INT64_MAX}), ints({}, {1})}));
  CHECK(ints_of(run("EyeLike", {ints({2, 3}, {9, 9, 9, 9, 9, 9})}, {Attr("k", 1)})) == Ints{0, 1, 0, 0, 0, 1});
  CHECK(floats_of(run("EyeLike", {ints({1, 2}, {9, 9})}, {Attr("dtype", Dtype::float32)})) == Floats{1, 0});
  CHECK(floats_of(run("ConstantOfShape", {ints({1}, {2})})) == Floats{0, 0});
  const Attrs big;
  evaluation::Call call{"ConstantOfShape", 17, {}, &big, 1, 1024};
  const Tensor shape = ints({2}, {1 << 20, 1 << 20});
  call.inputs = {&shape};
  CHECK(!evaluation::evaluate(call));  // beyond the limit: not even tried
}

TEST_CASE("constants of a converter") {
  CHECK(!make_tensor(Constant{Floats{0.5}, {}, {}}, Dtype::int32));
  CHECK(!make_tensor(Constant{Ints{-1}, {}, {}}, Dtype::uint8));
  CHECK(!make_tensor(Constant{Ints{-1}, {}, {}}, Dtype::uint64));
  CHECK(make_tensor(Constant{Ints{INT64_MAX}, {}, {}}, Dtype::int32)->elements<int32_t>()[0] == INT32_MAX);
  CHECK(make_tensor(Constant{Floats{-0x1p63}, {}, {}}, Dtype::int64)->elements<int64_t>()[0] == INT64_MIN);
  CHECK(make_tensor(Constant{Floats{0x1p63}, {}, {}}, Dtype::int64)->elements<int64_t>()[0] == INT64_MAX);
  CHECK(make_tensor(Constant{Floats{1e300}, {}, {}}, Dtype::float32)->elements<float>()[0] == INFINITY);
  CHECK_THROWS_AS(make_tensor(Constant{Ints{1, 2}, {3}, {}}, Dtype::int64), Error);
}

TEST_CASE("nodes on large constants wait for the writer") {
  test::Bench b;
  std::vector<float> numbers(size_t{300} * 200);
  for (size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<float>(i);
  const Value w = b.model.add_parameter("w", floats({300, 200}, numbers));
  const Value t = b.emitter.emit_one("Transpose", {w});
  const Value part =
      b.emitter.emit_one("Slice", {t, b.emitter.constant(Tensor::int64s({1})), b.emitter.constant(Tensor::int64s({3})),
                                   b.emitter.constant(Tensor::int64s({0}))});
  const Value scaled = b.emitter.emit_one("Mul", {part, b.emitter.constant(floats({}, {2}))});
  CHECK(b.nodes().empty());
  REQUIRE(b.emitter.constant_of(t)->lazy() != nullptr);
  CHECK(b.type(scaled) == "float32[2,300]");
  CHECK(b.floats(scaled)[1] == 402);
  // Changed dims share the bytes.
  const Value flat = b.emitter.emit_one("Reshape", {w, b.emitter.constant(Tensor::int64s({-1}))});
  CHECK(b.emitter.constant_of(flat)->bytes().data() == b.emitter.constant_of(w)->bytes().data());
  // What makes much out of little stays a node.
  b.emitter.emit_one("Expand", {w, b.emitter.constant(Tensor::int64s({5, 300, 200}))});
  CHECK(b.nodes() == "Expand");
}

TEST_CASE("large weights are quantised when they are written") {
  test::Bench b;
  std::vector<float> numbers(size_t{300} * 200);
  for (size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<float>(i % 200) * (i < 200 ? 0.5F : 1.0F);
  const Value w = b.model.add_parameter("w", floats({300, 200}, numbers));
  const Value most =
      b.emitter.emit_one("ReduceMax", {b.emitter.emit_one("Abs", {w})}, {Attr("axes", Ints{1}), Attr("keepdims", 0)});
  REQUIRE(b.emitter.constant_of(most));
  CHECK(b.floats(most)[0] == 99.5);
  CHECK(b.floats(most)[299] == 199);
  const Value zero = b.emitter.constant(Tensor::of(Dtype::int8, {300}, std::vector<int8_t>(300)));
  const Value scale = b.emitter.emit_one("Div", {most, b.emitter.constant(floats({}, {127}))});
  const Value q = b.emitter.emit_one("QuantizeLinear", {w, scale, zero}, {Attr("axis", 0)});
  CHECK(b.nodes().empty());
  REQUIRE(b.emitter.constant_of(q)->lazy());
  const auto steps = b.emitter.constant_of(q)->elements<int8_t>();
  CHECK(steps[199] == 127);
  CHECK(steps[100] == 64);
  CHECK(steps[200 + 100] == 64);
  // A scale of the wrong size is left to the runtime.
  const Value short_scale = b.emitter.constant(floats({2}, {1, 2}));
  const Value short_zero = b.emitter.constant(Tensor::of(Dtype::int8, {2}, std::vector<int8_t>(2)));
  b.emitter.emit_one("QuantizeLinear", {w, short_scale, short_zero}, {Attr("axis", 0)});
  CHECK(b.nodes() == "QuantizeLinear");
}
