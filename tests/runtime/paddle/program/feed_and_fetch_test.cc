#include "runtime/paddle/program/feed_and_fetch.h"

#include "tests/runtime/paddle/read/scratch.h"

namespace fluid2onnx {
namespace {

using testing::ProgramBuilder;

TEST_CASE("inputs and outputs are sorted by column") {
  ProgramBuilder builder;
  for (const char* name : {"a", "b", "c"}) builder.var(name);
  builder.feed("b", 1);
  builder.feed("a", 0);
  builder.op("relu", {"a"}, {"c"});
  builder.fetch("c", 1);
  builder.fetch("b", 0);
  const Program program = builder.read();
  REQUIRE(program.inputs.size() == 2);
  CHECK(program.inputs[0].name == "a");
  CHECK(program.inputs[1].name == "b");
  REQUIRE(program.outputs.size() == 2);
  CHECK(program.outputs[0].name == "b");
  CHECK(program.outputs[1].name == "c");
  REQUIRE(program.main().ops.size() == 1);
  CHECK(program.main().ops[0].index == 2);  // its place in the file
}

TEST_CASE("a value fetched twice gets two names") {
  ProgramBuilder builder;
  builder.var("a");
  builder.feed("a");
  for (int i = 0; i < 3; ++i) builder.fetch("a", i);
  const Program program = builder.read();
  CHECK(program.outputs[0].name == "a");
  CHECK(program.outputs[1].name == "a_1");
  CHECK(program.outputs[2].name == "a_2");
  CHECK(program.outputs[2].value == "a");
}

TEST_CASE("an output that is overwritten after its fetch is saved") {
  ProgramBuilder builder;
  builder.var("a");
  builder.feed("a");
  builder.fetch("a", 0);
  builder.op("increment", {"a"}, {"a"});
  builder.fetch("a", 1);
  const Program program = builder.read();
  REQUIRE(program.main().ops.size() == 2);
  const Op& saved = program.main().ops[0];
  CHECK(saved.type == "assign");
  CHECK(program.outputs[0].name == "a");
  CHECK(program.outputs[0].value == saved.output("Out", 0));
  CHECK(program.outputs[1].value == "a");
  CHECK(program.main().find(saved.output("Out", 0))->dims == Shape{2});
}

TEST_CASE("feeds and fetches that make no sense are refused") {
  ProgramBuilder none;
  none.var("a");
  none.feed("a");
  none.fetch("b");
  CHECK(none.read_error().message() == "output 'b' has no producer");

  ProgramBuilder undeclared;
  undeclared.feed("a");
  CHECK(undeclared.read_error().message() == "input 'a' is not declared");

  ProgramBuilder twice;
  twice.var("a");
  twice.feed("a");
  twice.feed("a", 1);
  CHECK(twice.read_error().message() == "input 'a' is fed twice");

  ProgramBuilder late;
  late.var("a");
  late.op("relu", {"a"}, {"b"});
  late.feed("a");
  CHECK(late.read_error().message() == "input 'a' is used before it is fed");

  ProgramBuilder column;
  column.var("a");
  column.feed("a", -3);
  CHECK(column.read_error().message() == "attribute 'col' is not a position");

  ProgramBuilder inner;
  inner.block(0);
  inner.op("fetch", {"a"}, {}, 1);
  const Error error = inner.read_error();
  CHECK(error.message() == "expected in the main block only");
  CHECK(error.place().ends_with("model.pdmodel: block 1, op 0 'fetch'"));
}

}  // namespace
}  // namespace fluid2onnx
