#include "runtime/paddle/read/program_desc.h"
#include "tests/runtime/paddle/read/sample_programs.h"

namespace fluid2onnx {
namespace {

using test::ProgramBuilder;

void expect(const ProgramBuilder& builder, const std::string& place, const std::string& message) {
  const Error error = builder.read_error();
  CHECK(error.code() == E_BAD_PROGRAM);
  CHECK(error.message() == message);
  CHECK_MESSAGE(error.place().ends_with("model.pdmodel: " + place), error.place());
  CHECK_FALSE(error.hint().empty());
}

TEST_CASE("blocks must form a tree") {
  ProgramBuilder parent;
  parent.main().set_parent_idx(0);
  expect(parent, "block 0", "the main block has parent 0, expected -1 (none)");

  ProgramBuilder cycle;
  cycle.block(1);
  expect(cycle, "block 1", "the block has parent 1, expected an earlier block");

  ProgramBuilder number;
  number.main().set_idx(3);
  expect(number, "block 0", "the block has index 3");

  ProgramBuilder outside;
  test::add_sub_block(outside.op("while", {}, {}), 7);
  expect(outside, "block 0, op 0 'while'", "sub-block 7 does not exist; the program has blocks 0 to 0");

  ProgramBuilder itself;
  test::add_sub_block(itself.op("while", {}, {}), 0);
  expect(itself, "block 0, op 0 'while'", "sub-block 0 does not exist; the program has blocks 0 to 0");

  ProgramBuilder foreign;
  foreign.block(0);
  foreign.block(1);
  test::add_sub_block(foreign.op("while", {}, {}), 2);
  expect(foreign, "block 0, op 0 'while'", "sub-block 2 belongs to block 1, expected block 0");

  ProgramBuilder shared;
  shared.block(0);
  test::add_sub_block(shared.op("while", {}, {}), 1);
  test::add_sub_block(shared.op("while", {}, {}), 1);
  expect(shared, "block 0, op 1 'while'", "sub-block 1 is already used by block 0, op 0 'while'");

  ProgramBuilder deep;
  for (int i = 0; i < 1000; ++i) deep.block(i);
  expect(deep, "block 201", "blocks are nested more than 200 deep");
}

TEST_CASE("parts of a program that can't be read are named") {
  ProgramBuilder type;
  type.op("", {}, {});
  expect(type, "block 0, op 0", "an operator has no type");

  ProgramBuilder kind;
  test::add_attr(kind.op("relu", {}, {}), "a", 99);
  expect(kind, "block 0, op 0 'relu'", "attribute 'a' is of the unknown kind 99");

  ProgramBuilder twice;
  twice.var("x");
  twice.var("x");
  expect(twice, "block 0", "variable 'x' is declared twice");

  ProgramBuilder attribute;
  auto& relu = attribute.op("relu", {"x"}, {"y"});
  test::add_attr(relu, "a", framework::INT);
  test::add_attr(relu, "a", framework::INT);
  expect(attribute, "block 0, op 0 'relu'", "attribute 'a' appears twice");

  ProgramBuilder slot;
  auto& add = slot.op("add", {"x"}, {"y"});
  *add.add_inputs() = add.inputs(0);
  expect(slot, "block 0, op 0 'add'", "slot 'X' appears twice");

  ProgramBuilder deep;
  deep.var("x").mutable_type()->mutable_lod_tensor()->set_lod_level(17);
  expect(deep, "block 0", "variable 'x' has LoD level 17, expected at most 16");

  ProgramBuilder nameless;
  nameless.var("");
  expect(nameless, "block 0", "a variable has no name");
}

TEST_CASE("a program has at least one block") {
  ProgramBuilder builder;
  builder.desc().clear_blocks();
  builder.desc().mutable_version()->set_version(1);
  const test::TemporaryFolder scratch;
  const auto file = MappedFile::open(scratch.write("m", builder.bytes()));
  CHECK(test::error_of([&] { read_program_desc(file); }).message() == "the program has no blocks");
}

TEST_CASE("damage is located in the file") {
  ProgramBuilder builder;
  builder.op("relu", {"x"}, {"y"});
  std::string bytes = builder.bytes();
  const test::TemporaryFolder scratch;
  const auto read = [&](const std::string& text) {
    return test::error_of([&] { read_program_desc(MappedFile::open(scratch.write("m", text))); });
  };
  const Error cut = read(bytes.substr(0, bytes.size() - 3));
  CHECK(cut.code() == E_TRUNCATED);
  CHECK(cut.place().ends_with("m: byte 2 (blocks[0])"));

  const std::size_t at = bytes.find("relu");
  bytes[at - 1] = 100;  // the length of the type
  const Error wrong = read(bytes);
  CHECK(wrong.place().ends_with("(blocks[0].ops[0].type)"));
  CHECK(wrong.message().find("a field of 100 bytes, but only 4 are left") != std::string::npos);
}

TEST_CASE("absent arguments") {
  ProgramBuilder builder;
  builder.op("concat", {"a", "@EMPTY@", "b"}, {"@EMPTY@"});
  builder.var("a");
  builder.feed("a");
  CHECK(builder.read_error().message() == "input 'a' is used before it is fed");

  ProgramBuilder fine;
  fine.var("a");
  fine.feed("a");
  fine.op("concat", {"a", "@EMPTY@", "b"}, {"@EMPTY@"});
  fine.fetch("a");
  const Program program = fine.read();
  const Op& op = program.main().ops.front();
  CHECK(op.input("X") == std::vector<std::string>{"a", "", "b"});
  CHECK(op.output("Out").empty());
  CHECK(op.input("Other").empty());
  CHECK(op.input("X", 0) == "a");
  CHECK(op.input("X", 9).empty());
}

TEST_CASE("every kind of attribute is read") {
  ProgramBuilder builder;
  builder.var("a");
  builder.feed("a");
  framework::OpDesc& op = builder.op("x", {"a"}, {"a"});
  using test::add_attr;
  add_attr(op, "int", framework::INT).set_i(-7);
  add_attr(op, "float", framework::FLOAT).set_f(0.1f);
  add_attr(op, "text", framework::TEXT).set_s("s");
  add_attr(op, "ints", framework::INTS).add_ints(1);
  add_attr(op, "floats", framework::FLOATS).add_floats(0.5f);
  add_attr(op, "texts", framework::TEXTS).add_strings("t");
  add_attr(op, "bool", framework::BOOLEAN).set_b(true);
  add_attr(op, "bools", framework::BOOLEANS).add_bools(true);
  add_attr(op, "long", framework::LONG).set_l(std::int64_t{1} << 40);
  add_attr(op, "longs", framework::LONGS).add_longs(std::int64_t{1} << 40);
  add_attr(op, "float64s", framework::FLOAT64S).add_float64s(0.1);
  add_attr(op, "var", framework::VAR).set_var_name("v");
  add_attr(op, "vars", framework::VARS).add_vars_name("w");
  add_attr(op, "float64", framework::FLOAT64).set_float64(0.1);
  framework::Scalar& scalar = *add_attr(op, "scalar", framework::SCALAR).mutable_scalar();
  scalar.set_type(framework::SCALAR_COMPLEX128);
  scalar.mutable_c()->set_i(2);
  framework::Scalar& element = *add_attr(op, "scalars", framework::SCALARS).add_scalars();
  element.set_type(framework::SCALAR_LONG);
  element.set_i(5);
  builder.fetch("a");
  const Program program = builder.read();
  const Op& read = program.main().ops.front();
  CHECK(read.get_int("int") == -7);
  CHECK(read.get_float("float") == static_cast<double>(0.1f));
  CHECK(read.get_string("text") == "s");
  CHECK(read.get_ints("ints")->front() == 1);
  CHECK(read.get_floats("floats")->front() == 0.5);
  CHECK(read.get_strings("texts")->front() == "t");
  CHECK(read.get_bool("bool") == true);
  CHECK(read.attr("bools")->as_ints()->front() == 1);
  CHECK(read.get_int("long") == std::int64_t{1} << 40);
  CHECK(read.get_ints("longs")->front() == std::int64_t{1} << 40);
  CHECK(read.get_floats("float64s")->front() == 0.1);
  CHECK(*read.attr("var")->as_variables() == VariableRefs{{"v"}, false});
  CHECK(*read.attr("vars")->as_variables() == VariableRefs{{"w"}, true});
  CHECK(read.get_float("float64") == 0.1);
  CHECK(std::get<std::complex<double>>(read.attr("scalar")->value).imag() == 2);
  CHECK(read.get_ints("scalars")->front() == 5);
}

}  // namespace
}  // namespace fluid2onnx
