#include "runtime/to_paddle/binder.h"

#include <doctest/doctest.h>

#include "runtime/support/refused.h"
#include "runtime/to_paddle/sequence_uses.h"
#include "tests/runtime/to_paddle/make_graph.h"

using namespace fluid2onnx;

TEST_CASE("inner graphs see the names of outer ones, and hide them") {
  MakeGraph m;
  m.input("x");
  onnx::TensorProto* weight = m.graph().add_initializer();
  weight->set_name("w");
  weight->set_data_type(static_cast<int>(Dtype::float32));
  weight->add_float_data(1.5F);
  ProgramBuilder builder;
  OnnxBinder binder(m.file, builder);
  const Value x = builder.model().new_value("x"), other = builder.model().new_value("other");
  binder.enter(m.graph(), {x});
  CHECK(binder.operand("x") == x);
  const Value w = binder.operand("w");
  CHECK(builder.emitter().constant_of(w));
  CHECK_THROWS_AS(binder.operand("nothing"), Refused);

  const onnx::GraphProto inner;
  binder.enter(inner, {});
  CHECK(binder.operand("x") == x);
  CHECK(binder.operand("w") == w);
  binder.bind("x", other);
  CHECK(binder.operand("x") == other);
  binder.leave();
  CHECK(binder.operand("x") == x);
}

TEST_CASE("values that are rolled back have no names") {
  MakeGraph m;
  m.input("x");
  ProgramBuilder builder;
  OnnxBinder binder(m.file, builder);
  const Value x = builder.model().new_value("x"), y = builder.model().new_value("y");
  binder.enter(m.graph(), {x});
  binder.bind("y", y);
  binder.forget_from(y);
  CHECK(binder.operand("x") == x);
  CHECK_THROWS_AS(binder.operand("y"), Refused);
}

TEST_CASE("a sequence is over after the last node that reads it") {
  MakeGraph m;
  m.input("x");
  m.node("SequenceConstruct", {"x"}, {"s"});
  m.node("SequenceLength", {"s"}, {"n"});
  m.node("SequenceInsert", {"s", "x"}, {"t"});
  m.node("SequenceLength", {"t"}, {"k"});
  ProgramBuilder builder;
  OnnxBinder binder(m.file, builder);
  SequenceUses uses(binder, builder.model());
  const Value x = builder.model().add_input("x", m.graph().input(0).type());
  binder.enter(m.graph(), {x});
  const Value s = builder.emitter().emit_one("SequenceConstruct", {x});
  binder.bind("s", s);
  binder.go_to(1);
  CHECK(!uses.is_last_use(s));
  binder.go_to(2);
  CHECK(uses.is_last_use(s));
  CHECK(uses.is_operand_once(s));
  CHECK(uses.current_node()->op_type() == "SequenceInsert");
  CHECK(uses.producer("s") == &m.graph().node(0));

  onnx::GraphProto inner;
  onnx::NodeProto* reader = inner.add_node();
  for (const char* name : {"s", "x"}) reader->add_input(name);
  CHECK(uses.captured(inner) == Values{s});
  binder.enter(inner, {});
  binder.go_to(0);
  CHECK(!uses.is_last_use(s));
}
