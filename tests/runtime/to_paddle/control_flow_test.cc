#include <doctest/doctest.h>

#include <algorithm>

#include "runtime/to_paddle/operator_runner.h"
#include "tests/runtime/to_paddle/make_graph.h"

using namespace fluid2onnx;

namespace {

/// A context without a walk: no nested graphs are run.
struct Bench {
  MakeGraph made;
  ProgramBuilder builder;
  OnnxBinder binder{made.file, builder};
  OnnxProblems problems;
  SequenceUses uses{binder, builder.model()};
  OnnxOperatorRunner runner{made.file, nullptr, builder, binder, problems, {}, {}};
  OnnxControlFlow flow{binder, uses, {}, [this](Value first) { builder.forget_from(first); }};
  OnnxNode node;

  Bench() {
    node.op = find_onnx_operator("If", 17);
    node.name = "y";
  }
  Value input(const std::string& name, Dtype dtype) {
    const Value v = builder.model().add_input(name, tensor_type(dtype, Ints{1}));
    builder.declare(name, v);
    builder.bind(name, v);
    return v;
  }
  int64_t count(const std::string& type, size_t block = 0) {
    const std::vector<Op>& ops = builder.result().program.blocks[block].ops;
    return std::count_if(ops.begin(), ops.end(), [&](const Op& op) { return op.type == type; });
  }
};

}  // namespace

TEST_CASE("an If becomes two conditional_block operators and select_input") {
  Bench b;
  const NodeSlots source(b.node, b.builder.emitter(), {});
  FluidContext context(b.flow, b.builder, source);
  const Value x = b.input("x", Dtype::float32), c = b.input("c", Dtype::bool_);
  const auto branch = [&](const char* type) {
    return [&context, x, type] { return Values{context.fluid(type, {{"X", x}}, {})}; };
  };
  const Values results = context.if_else(c, branch("relu"), branch("tanh"));
  REQUIRE(results.size() == 1);
  CHECK(b.builder.model().dtype(results[0]) == Dtype::float32);
  CHECK(b.count("conditional_block") == 2);
  CHECK(b.count("select_input") == 1);
  CHECK(b.count("relu", 1) == 1);
  CHECK(b.count("tanh", 2) == 1);
}

TEST_CASE("a known condition leaves one branch") {
  Bench b;
  const NodeSlots source(b.node, b.builder.emitter(), {});
  FluidContext context(b.flow, b.builder, source);
  const Value x = b.input("x", Dtype::float32);
  const Value yes = context.tensor(Operand(Bools{true}), Dtype::bool_);
  CHECK(context.if_else(
            yes, [&] { return Values{x}; }, [&] { return Values(); }) == Values{x});
  CHECK(b.builder.result().program.blocks.size() == 1);
}

TEST_CASE("a loop becomes a while that writes its state") {
  Bench b;
  const NodeSlots source(b.node, b.builder.emitter(), {});
  FluidContext context(b.flow, b.builder, source);
  const Value x = b.input("x", Dtype::float32), trips = b.input("n", Dtype::int64);
  const Values carried{x};
  const Values results = context.loop(trips, {}, carried, [&](Value, const Values& inside) {
    const Value next = context.fluid("tanh", {{"X", inside[0]}}, {});
    return LoopIteration{{}, {next}, {next}};
  });
  CHECK(results.size() == 2);
  CHECK(b.count("while") == 1);
  CHECK(b.count("tensor_array_to_tensor") == 1);
  CHECK(b.count("tanh", 1) == 1);
  CHECK(b.count("increment", 1) == 1);
  CHECK(b.count("write_to_array", 1) == 1);
}
