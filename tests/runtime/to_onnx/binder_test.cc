#include "runtime/to_onnx/binder.h"

#include <doctest/doctest.h>

#include "runtime/support/refused.h"
#include "runtime/to_onnx/deferred.h"
#include "runtime/to_onnx/output_names.h"
#include "tests/runtime/to_onnx/make_program.h"

using namespace fluid2onnx;

TEST_CASE("operands are what the variables hold") {
  MakeProgram m;
  m.input("x");
  m.variable("y");
  const Op op = m.unary("relu", "x", "y");
  Model model(17);
  Emitter emitter(model);
  Binder binder(m.program, emitter);
  Scope scope;
  const Value x = model.add_input("x", tensor_type(Dtype::float32, Ints{2, 3}));
  binder.set_input(scope, "x", x, {});
  CHECK(binder.operand(op, scope, "x") == x);
  CHECK_THROWS_AS(binder.operand(op, scope, "y"), Refused);
  CHECK(binder.resolve(scope, "y") == nullptr);

  SUBCASE("a result hides the value of before") {
    const Value y = emitter.emit_one("Relu", {x});
    binder.bind(op, scope, "x", y, {}, {});
    CHECK(binder.operand(op, scope, "x") == y);
  }
  SUBCASE("unless the variable is kept") {
    binder.keep("x");
    binder.bind(op, scope, "x", emitter.emit_one("Relu", {x}), {}, {});
    CHECK(binder.operand(op, scope, "x") == x);
  }
  SUBCASE("a reader has deferred operators converted") {
    const auto deferred = std::make_shared<Deferred>();
    deferred->convert = [&](Deferred&) { scope.set("y", {x, false, nullptr}); };
    scope.set("y", {Value(), false, deferred});
    CHECK(binder.operand(op, scope, "y") == x);
  }
}

TEST_CASE("a result of unknown rank has the declared one") {
  MakeProgram m;
  m.input("x");
  m.variable("y", Dtype::float32, {-1, 5});
  m.variable("z", Dtype::float32, {1});
  const Op op = m.unary("relu", "x", "y");
  Model model(17);
  Emitter emitter(model);
  Binder binder(m.program, emitter);
  Scope scope;
  const auto unknown = [&] {
    const Value v = model.new_value("v");
    model.set_type(v, tensor_type(Dtype::float32, std::nullopt));
    return v;
  };
  const Value y = unknown(), z = unknown();
  binder.bind(op, scope, "y", y, {}, {});
  REQUIRE(model.shape(y));
  CHECK(model.shape(y)->dim_size() == 2);
  CHECK(!model.shape(y)->dim(1).has_dim_value());
  CHECK(binder.has_declared_rank(y));
  // It may be a 0-D tensor of an older Paddle.
  binder.bind(op, scope, "z", z, {}, {});
  CHECK(!model.shape(z));
}

TEST_CASE("placeholders have declared types and are tainted") {
  MakeProgram m;
  m.input("x");
  m.variable("y", Dtype::int64, {4});
  const Op op = m.unary("nothing_like_it", "x", "y");
  Model model(17);
  Emitter emitter(model);
  Binder binder(m.program, emitter);
  Scope scope;
  NeededOp live{&op, {}, 0};
  live.read_later.insert("y");
  binder.bind_placeholders(live, scope);
  const Binding* y = scope.find("y");
  REQUIRE(y);
  CHECK(y->tainted);
  CHECK(model.dtype(y->value) == Dtype::int64);
}

TEST_CASE("only the last value of an output has its name") {
  MakeProgram m;
  m.input("x");
  m.variable("y");
  m.unary("relu", "x", "y");
  m.unary("exp", "y", "y");
  OutputNames names;
  names.add("y", "result");
  names.find_writers(m.program);
  const std::vector<Op>& ops = m.program.main().ops;
  CHECK(names.name_after(ops[0], "y").empty());
  CHECK(names.name_after(ops[1], "y") == "result");
  CHECK(names.name_after(ops[0], "other") == "other");
  // No other variable may have it.
  CHECK(names.name_after(ops[0], "result").empty());
  CHECK(names.last_writer("y") == &ops[1]);
  CHECK(names.last_writer("x") == nullptr);
}
