#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "runtime/convert/compute.h"
#include "runtime/convert/lists.h"
#include "runtime/onnx/graph/constant.h"
#include "runtime/support/refused.h"
#include "tests/runtime/onnx/graph/fixture.h"

using namespace fluid2onnx;
using test::Bench;

TEST_CASE("constants take the dtype of the tensor beside them") {
  Bench b;
  auto op = b.context();
  const Value h = b.input("h", Dtype::float16, {"N"});
  const Value i = b.input("i", Dtype::int32, {"N"});
  CHECK(b.type(op.node("Mul", {h, 0.5}, {}, 1)[0]) == "float16[N]");
  CHECK(b.type(op.node("Mul", {i, 2}, {}, 1)[0]) == "int32[N]");
  CHECK(b.type(op.node("Mul", {i, 2.0}, {}, 1)[0]) == "int32[N]");
  CHECK(b.nodes() == "Mul Mul");  // a small vector of integers is not computed twice
  CHECK_THROWS_WITH_AS(op.node("Mul", {i, 0.5}, {}, 1),
                       "the constant 0.5 is not representable in int32 [E_CONSTANT_DTYPE]", Refused);
  const Value u = b.input("u", Dtype::uint8, {"N"});
  CHECK_THROWS_WITH_AS(op.node("Add", {u, 300}, {}, 1), "the constant 300 is out of range of uint8 [E_CONSTANT_DTYPE]",
                       Refused);
}

TEST_CASE("constants without a neighbour take what the schema wants") {
  Bench b;
  auto op = b.context();
  const Value c =
      op.node("ConstantOfShape", {Operand(Ints{2, 2})}, {Attr("value", Constant{Floats{1.5}, {1}, {}})}, 1)[0];
  CHECK(b.floats(c) == Floats{1.5, 1.5, 1.5, 1.5});
  const Value range = op.node("Range", {0, 2.5, 1}, {}, 1)[0];
  CHECK(b.type(range) == "float32[3]");
  CHECK(b.type(op.node("Range", {0, 3, 1}, {}, 1)[0]) == "int64[3]");
  CHECK(b.type(op.tensor(true)) == "bool[]");
  CHECK(b.type(op.tensor(Floats{1, 2})) == "float32[2]");
  CHECK(b.type(op.tensor(1, Dtype::float64)) == "float64[]");
}

TEST_CASE("run-time numbers beside a tensor are cast to its dtype") {
  Bench b;
  auto op = b.context();
  const Value x = b.input("x", Dtype::float32, {"N", "4"});
  const Value y = op.node("Div", {x, op.dim(x, 0)}, {}, 1)[0];
  CHECK(b.type(y) == "float32[N,4]");
  CHECK(b.nodes() == "Shape Gather Cast Div");
}

TEST_CASE("shapes pass on as one tensor") {
  Bench b(17);
  auto op = b.context();
  const Value x = b.input("x", Dtype::float32, {"N", "3", "H", "W"});
  const Value whole = op.tensor(op.shape(x));
  CHECK(b.nodes() == "Shape");
  CHECK(op.tensor(Dims{op.dim(x, 0), 3, op.dim(x, -2), op.dim(x, -1)}) == whole);
  op.tensor(Dims{op.dim(x, 2), op.dim(x, 3)});
  CHECK(b.nodes() == "Shape Shape");  // Shape with start
  const Value mixed = op.tensor(Dims{op.dim(x, 0), 3, mul(op, op.dim(x, 2), 2)});
  CHECK(b.type(mixed) == "int64[3]");
  CHECK(b.ints(op.tensor(Dims{1, 2, 3})) == Ints{1, 2, 3});
}

TEST_CASE("shapes pass on as one tensor in old opsets") {
  Bench b(9);
  auto op = b.context();
  const Value x = b.input("x", Dtype::float32, {"N", "3", "H", "W"});
  op.tensor(Dims{op.dim(x, 2), op.dim(x, 3)});
  CHECK(b.nodes() == "Shape Slice");
  op.tensor(Dims{op.dim(x, 0), 7});
  CHECK(b.nodes() == "Shape Slice Gather Concat");
}

TEST_CASE("dims of the same name are the same dim") {
  Bench b;
  auto op = b.context();
  const Value x = b.input("x", Dtype::float32, {"N", "3"});
  const Value y = op.node("Relu", {x}, {}, 1)[0];
  const Value z = b.input("z", Dtype::float32, {"M", "5"});
  op.tensor(Dims{op.dim(y, 0), op.dim(x, 1)});
  CHECK(b.nodes() == "Relu Shape");
  op.tensor(Dims{op.dim(z, 0), op.dim(x, 0)});
  CHECK(b.nodes().find("Concat") != std::string::npos);
}

TEST_CASE("elements of a tensor pass on as the tensor") {
  Bench b;
  auto op = b.context();
  const Value s = b.input("s", Dtype::int64, {"3"});
  const Dims dims = dims_of(op, s);
  REQUIRE(dims.items.size() == 3);
  CHECK(op.tensor(dims) == s);
  op.tensor(slice(op, dims, 1, to_end));
  CHECK(b.nodes() == "Slice");
  const Value open = b.input("open", Dtype::int32, {"?"});
  CHECK(!dims_of(op, open).sized());
  CHECK(b.type(op.tensor(dims_of(op, open))) == "int64[?]");
}

TEST_CASE("parameters come from lists, tensors and attributes") {
  Bench b;
  b.source.in["ShapeTensorList"] = {b.emitter.constant(Tensor::int64s({4})), b.input("n", Dtype::int32, {"1"})};
  b.source.in["Shape"] = {b.emitter.constant(Tensor::int64s({5, 6}))};
  b.source.attrs["shape"] = Ints{7, 8, 9};
  auto op = b.context();
  const Dims list = op.param_ints({"ShapeTensorList", "Shape", "shape"}, {});
  REQUIRE(list.items.size() == 2);
  CHECK(list.items[0].known_value == 4);
  CHECK(!list.items[1].known());
  CHECK(known(op, op.param_ints({"", "Shape", "shape"}, {}), "shape") == Ints{5, 6});
  CHECK(known(op, op.param_ints({"", "", "shape"}, {}), "shape") == Ints{7, 8, 9});
  CHECK(known(op, op.param_ints({"", "", "other"}, {1}), "other") == Ints{1});
  CHECK_THROWS_AS(known(op, list, "'shape'"), Refused);
}

TEST_CASE("arithmetic on dims folds what is known") {
  Bench b(9);
  auto op = b.context();
  const Value x = b.input("x", Dtype::float32, {"N", "6"});
  CHECK(floordiv(op, Dim(-7), Dim(2)).known_value == -4);
  CHECK(mod(op, Dim(-7), Dim(2)).known_value == 1);
  CHECK(mul(op, op.dim(x, 0), 1).source == Dim::Source::shape_of);
  CHECK(add(op, 0, op.dim(x, 0)).source == Dim::Source::shape_of);
  CHECK(mul(op, op.dim(x, 0), 0).known());
  CHECK(product(op, {2, 3, 4}).known_value == 24);
  CHECK(b.nodes().empty());
  const Dim half = floordiv(op, op.dim(x, 0), 2);
  CHECK(b.nodes() == "Shape Gather Div");
  CHECK(op.tensor(floordiv(op, op.dim(x, 0), 2)) == op.tensor(half));  // the same expression
  mod(op, sub(op, op.dim(x, 0), 3), 4);                                // below opset 10 without Mod
  CHECK(b.nodes().find("Mod") == std::string::npos);
}

TEST_CASE("numbers outside of int64 are no integers") {
  CHECK(to_integer(-2.9) == -2);
  CHECK(to_integer(-0x1p63) == std::numeric_limits<int64_t>::min());
  CHECK_THROWS_WITH_AS(to_integer(0x1p63), "the number 9223372036854775808 is not a 64-bit integer [E_OVERFLOW]",
                       Error);
  for (const double number : {-0x1p64, 1e300, HUGE_VAL, -HUGE_VAL, std::nan("")})
    CHECK_THROWS_AS(to_integer(number), Error);
}

TEST_CASE("a loop settles the shapes that it carries") {
  Bench b;
  auto op = b.context();
  const Value x = b.input("x", Dtype::float32, {"1", "4"});
  const Value bias = b.input("bias", Dtype::float32, {"4"});
  int rounds = 0;
  const Values results = op.loop(5, {}, {x}, [&](Value iteration, const Values& carried) {
    ++rounds;
    CHECK(b.type(iteration) == "int64[]");
    const Value sum = op.node("Add", {carried[0], bias}, {}, 1)[0];
    const Value longer = op.node("Concat", {carried[0], sum}, {Attr("axis", 0)}, 1)[0];
    return LoopIteration{{}, {longer}, {bias}};
  });
  CHECK(rounds == 2);
  REQUIRE(results.size() == 2);
  CHECK(b.type(results[0]) == "float32[?,4]");
  CHECK(b.type(results[1]) == "float32[?,4]");
  CHECK(b.nodes() == "Loop");
  CHECK(b.nodes(1).find("Concat") != std::string::npos);
}

TEST_CASE("a loop over constants is evaluated") {
  Bench b;
  auto op = b.context();
  const Value x = b.input("x", Dtype::float32, {"2"});
  const auto twice = [&](bool with_input) {
    return [&, with_input](Value, const Values& carried) {
      const Value next = op.node("Add", {carried[0], carried[0]}, {}, 1)[0];
      const Value end = op.node("Less", {op.node("ReduceSum", {next}, {Attr("keepdims", 0)}, 1)[0], 100.0}, {}, 1)[0];
      return LoopIteration{end, {with_input ? op.node("Mul", {next, x}, {}, 1)[0] : next}, {}};
    };
  };
  const Value start = op.tensor(Constant{Floats{1, 2}, {2}, Dtype::float32});
  CHECK(b.floats(op.loop(20, {}, {start}, twice(false))[0]) == Floats{64, 128});
  CHECK(b.floats(op.loop(3, {}, {start}, twice(false))[0]) == Floats{8, 16});
  CHECK(b.nodes().empty());
  op.loop(20, {}, {start}, twice(true));
  CHECK(b.nodes() == "Loop");
}

TEST_CASE("a loop that changes the rank gives up the rank") {
  Bench b;
  auto op = b.context();
  const Value x = b.input("x", Dtype::float32, {"1"});
  const Values results = op.loop(2, {}, {x}, [&](Value, const Values& carried) {
    return LoopIteration{{}, {op.node("Unsqueeze", {carried[0], Ints{0}}, {}, 1)[0]}, {}};
  });
  CHECK(b.type(results[0]) == "float32");
  CHECK_THROWS_AS(op.loop(2, {}, {x},
                          [&](Value iteration, const Values&) {
                            return LoopIteration{{}, {iteration}, {}};
                          }),
                  Refused);
}

TEST_CASE("branches of an if are merged, and a known condition chooses") {
  Bench b;
  auto op = b.context();
  const Value c = b.input("c", Dtype::bool_, {});
  const Value x = b.input("x", Dtype::float32, {"2", "4"});
  const Values results = op.if_else(
      c, [&] { return Values{op.node("Relu", {x}, {}, 1)[0]}; },
      [&] {
        return Values{op.node("ReduceSum", {x, Ints{0}}, {Attr("keepdims", 1)}, 1)[0]};
      });
  CHECK(b.type(results[0]) == "float32[?,4]");
  const Values known = op.if_else(
      true, [&] { return Values{x}; }, [&] { return Values{c}; });
  CHECK(known[0] == x);
  CHECK(b.nodes() == "If");
}

TEST_CASE("the condition of a loop or branch is bool") {
  Bench b;
  auto op = b.context();
  const Value n = b.input("n", Dtype::int64, {});
  const auto branch = [&] { return Values{n}; };
  CHECK_THROWS_WITH_AS(op.if_else(n, branch, branch),
                       "the condition of a loop or branch is int64; expected bool [E_DTYPE]", Refused);
  CHECK_THROWS_AS(op.loop({}, n, {n},
                          [&](Value, const Values& carried) {
                            return LoopIteration{{}, carried, {}};
                          }),
                  Refused);
  CHECK_THROWS_AS(op.loop(2, {}, {n},
                          [&](Value, const Values& carried) {
                            return LoopIteration{n, carried, {}};
                          }),
                  Refused);
}

TEST_CASE("results carry the names of the program") {
  Bench b;
  b.source.out["Out"] = {"relu_0.tmp_0"};
  auto op = b.context();
  const Value x = b.input("x", Dtype::float32, {"2"});
  op.set_output("Out", op.node("Relu", {x}, {}, 1)[0]);
  const Value out = op.results().at("Out")[0];
  CHECK(b.model[out].name == "relu_0.tmp_0");
  op.set_output("Same", x);
  CHECK(b.model[x].name == "x");
}

TEST_CASE("lists that a program leaves too short are its fault") {
  const Ints list{4, 5};
  CHECK(at(list, -2) == 4);
  CHECK_THROWS_WITH_AS(at(list, 2),
                       "a list of operands or attributes has 2 items; index 2 is out of range [E_BAD_PROGRAM]", Error);
  CHECK_THROWS_WITH_AS(at(list, -3),
                       "a list of operands or attributes has 2 items; index -3 is out of range [E_BAD_PROGRAM]", Error);
  CHECK_THROWS_AS(at(Bools(), 0), Error);
  CHECK(max_of(list) == 5);
  CHECK_THROWS_WITH_AS(max_of(Ints()), "a list of operands or attributes is empty; expected an element [E_BAD_PROGRAM]",
                       Error);
  CHECK_THROWS_AS(min_of(Floats()), Error);
}

TEST_CASE("a nested operator gives the names back to the one around it") {
  Bench b;
  b.source.op = "while";
  auto outer = b.context();
  const auto named = [&](const char* start) {
    const Value v = outer.node("Relu", {b.input("x", Dtype::float32, {"N"})}, {}, 1)[0];
    return b.model[v].name.rfind(start, 0) == 0;
  };
  CHECK(named("while/"));
  {
    test::FakeSource source;
    source.op = "exp";
    GraphContext inner(b.emitter, source);
    CHECK(named("exp/"));
  }
  CHECK(named("while/"));
}

TEST_CASE("numbers are rounded to 16 bits once") {
  const auto bits = [](Dtype dtype, double value) {
    return make_tensor(Constant{Floats{value}, {}, dtype}, dtype)->elements<uint16_t>()[0];
  };
  // Just above and just below the middle between two neighbours: float32 holds the middle only.
  const double tiny = std::ldexp(1.0, -40);
  CHECK(bits(Dtype::float16, 1 + std::ldexp(1.0, -11) + tiny) == 0x3C01);
  CHECK(bits(Dtype::float16, 1 + std::ldexp(1.0, -11)) == 0x3C00);
  CHECK(bits(Dtype::float16, -(1 + 3 * std::ldexp(1.0, -11) - tiny)) == 0xBC01);
  CHECK(bits(Dtype::bfloat16, 1 + std::ldexp(1.0, -8) + tiny) == 0x3F81);
  CHECK(bits(Dtype::bfloat16, 1 + 3 * std::ldexp(1.0, -8) - tiny) == 0x3F81);
  CHECK(bits(Dtype::float16, std::ldexp(1.0, -25) * (1 + tiny)) == 1);  // below the smallest
  CHECK(bits(Dtype::float16, 1e300) == 0x7C00);
  CHECK(bits(Dtype::bfloat16, -1e300) == 0xFF80);
  CHECK(bits(Dtype::float16, HUGE_VAL) == 0x7C00);
  CHECK((bits(Dtype::float16, std::nan("")) & 0x7FFF) > 0x7C00);
}

TEST_CASE("a tensor is put off only if a kernel certainly gives it") {
  const auto sum = [](Dtype dtype, size_t size) {
    const Tensor t(dtype, {2}, std::vector<uint8_t>(2 * size));
    return Tensor::computed(dtype, {2}, LazyTensor{"Add", 17, {}, {t, t}, 0, 1});
  };
  CHECK(sum(Dtype::float32, 4)->evaluated().byte_size() == 8);
  CHECK(!sum(Dtype::float16, 2));
  CHECK(!Tensor::computed(Dtype::float32, {}, LazyTensor{"NoSuchOperator", 17, {}, {Tensor::int64s({1})}, 0, 1}));
  const auto cast = [](const std::vector<float>& numbers) {
    const Tensor t = Tensor::of(Dtype::float32, {static_cast<int64_t>(numbers.size())}, numbers);
    return Tensor::computed(Dtype::int8, t.dims(), LazyTensor{"Cast", 17, {Attr("to", Dtype::int8)}, {t}, 0, 1});
  };
  CHECK(cast({-128, 127.9f})->elements<int8_t>() == std::vector<int8_t>{-128, 127});
  CHECK(!cast({1, 128}));
  CHECK(!cast({std::nanf("")}));
}
