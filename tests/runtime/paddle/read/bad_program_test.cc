#include "runtime/paddle/read/program_desc.h"

#include <filesystem>

#include "runtime/support/limits.h"
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

  ProgramBuilder several;
  several.block(0);
  framework::OpDesc::Attr& blocks = test::add_attr(several.op("while", {}, {}), "sub_blocks", framework::BLOCKS);
  blocks.add_blocks_idx(1);
  blocks.add_blocks_idx(7);
  expect(several, "block 0, op 0 'while'", "sub-block 7 does not exist; the program has blocks 0 to 1");

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

  ProgramBuilder scalar;
  test::add_attr(scalar.op("relu", {}, {}), "a", framework::SCALAR).mutable_scalar()->set_type(5);
  expect(scalar, "block 0, op 0 'relu'", "attribute 'a' has a scalar of an unknown kind");
  ProgramBuilder scalars;
  test::add_attr(scalars.op("relu", {}, {}), "a", framework::SCALARS).add_scalars();
  expect(scalars, "block 0, op 0 'relu'", "attribute 'a' has a scalar of an unknown kind");
  ProgramBuilder kindless;
  test::add_attr(kindless.op("relu", {}, {}), "a", framework::INT).clear_type();
  expect(kindless, "block 0, op 0 'relu'", "attribute 'a' is of the unknown kind 0");

  ProgramBuilder twice;
  twice.var("x");
  twice.var("x");
  expect(twice, "block 0", "variable 'x' is declared twice");

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

TEST_CASE("names and lists of arguments have a limit") {
  const std::string longest(limits::kNameBytes, 'n'), message = "a name has 65537 bytes, expected at most 65536";
  ProgramBuilder variable;
  variable.var(longest + "n");
  expect(variable, "block 0", message);
  ProgramBuilder type;
  type.op(longest + "n", {}, {});
  expect(type, "block 0", message);
  ProgramBuilder many;
  many.op("sum", std::vector<std::string>(limits::kOperands + 1, "x"), {});
  expect(many, "block 0, op 0 'sum'", "a slot has 65537 arguments, expected at most 65536");

  ProgramBuilder fine;
  fine.var(longest);
  fine.feed(longest);
  fine.op("sum", std::vector<std::string>(limits::kOperands, longest.substr(0, 1)), {});
  fine.fetch(longest);
  fine.var("n");
  CHECK(fine.read().main().ops.front().input("X").size() == limits::kOperands);
}

TEST_CASE("a program of more bytes than protobuf allows") {
  const test::TemporaryFolder scratch;
  const std::string path = scratch.write("m", "\n");
  std::filesystem::resize_file(path, std::uintmax_t{1} << 31);  // takes no space
  const Error error = test::error_of([&] { read_program_desc(MappedFile::open(path)); });
  CHECK(error.code() == E_BAD_PROGRAM);
  CHECK(error.message() == "the program has 2147483648 bytes; protobuf allows 2147483647");
  CHECK(error.place() == path);
}

TEST_CASE("of an attribute that appears twice, the last one counts") {
  ProgramBuilder builder;
  builder.var("x");
  builder.feed("x");
  framework::OpDesc& op = builder.op("relu", {"x"}, {"x"});
  for (const int value : {1, 2}) {
    test::add_int(op, "a", value);
    test::add_int(op, "b", 3);
  }
  builder.fetch("x");
  const Program program = builder.read();
  const Op& read = program.main().ops.front();
  CHECK(read.attrs.size() == 2);
  CHECK(read.get_int("a") == 2);
  CHECK(read.get_int("b") == 3);
}

TEST_CASE("a program with megabytes of call stacks") {
  ProgramBuilder builder;
  builder.var("x");
  builder.feed("x");
  for (const char* type : {"relu", "tanh"}) {
    framework::OpDesc::Attr& stack = test::add_attr(builder.op(type, {"x"}, {"x"}), "op_callstack", framework::TEXTS);
    stack.add_strings("  File \"net.py\", line 7, in forward");
    stack.add_strings(std::string(9 << 20, ' '));
  }
  builder.fetch("x");
  const test::TemporaryFolder scratch;
  const Program program = read_program_desc(MappedFile::open(scratch.write("m", builder.bytes())));
  REQUIRE(program.main().ops.size() == 2);
  for (const Op& op : program.main().ops) {
    CHECK(op.source.line().file == "net.py");
    CHECK(op.attrs.empty());
  }
}

TEST_CASE("fields that protobuf refuses") {
  const test::TemporaryFolder scratch;
  const auto read = [&](const std::string& bytes) {
    return test::error_of([&] { read_program_desc(MappedFile::open(scratch.write("m", bytes))); });
  };
  // The first block, with these fields.
  const auto block = [](const std::string& fields) {
    return "\n" + std::string(1, static_cast<char>(fields.size())) + fields;
  };
  const struct {
    std::string bytes;
    ErrorCode code;
    std::string place, message;
  } cases[] = {
      {block("\x80"), E_TRUNCATED, "byte 2 (blocks[0])", "the file ends too early: a number that is cut off"},
      {block("") + "\x80", E_TRUNCATED, "m: byte 2", "the file ends too early: a number that is cut off"},
      {block("\x80") + "\n", E_BAD_PROGRAM, "byte 2 (blocks[0])", "not a ProgramDesc: a number that is cut off"},
      {block("\x08\x80") + "\n", E_BAD_PROGRAM, "byte 3 (blocks[0].idx)",
       "not a ProgramDesc: a number that is cut off"},
      {block("\x08" + std::string(11, '\xff')), E_BAD_PROGRAM, "byte 3 (blocks[0].idx)",
       "not a ProgramDesc: a number of more than 10 bytes"},
      {block("\x09xxx"), E_TRUNCATED, "byte 3 (blocks[0].idx)",
       "the file ends too early: a field of 8 bytes, but only 3 are left"},
      {block("\x0dxxx"), E_TRUNCATED, "byte 3 (blocks[0].idx)",
       "the file ends too early: a field of 4 bytes, but only 3 are left"},
      {block("\x1a\x80"), E_TRUNCATED, "byte 3 (blocks[0].vars[0])",
       "the file ends too early: a number that is cut off"},
      {block("\x0b"), E_BAD_PROGRAM, "byte 2 (blocks[0])",
       "not a ProgramDesc: a field with number 1 and wire type 3, which Paddle does not write"},
      {block(std::string("\0", 1)), E_BAD_PROGRAM, "byte 2 (blocks[0])",
       "not a ProgramDesc: a field with number 0 and wire type 0, which Paddle does not write"},
      // A tag of 6 bytes, of the block and of the program.
      {block(std::string("\x88\x80\x80\x80\x80\0\0", 7)), E_BAD_PROGRAM, "m", "not a ProgramDesc"},
      {std::string("\xa0\x80\x80\x80\x80\0\0", 7), E_BAD_PROGRAM, "m", "not a ProgramDesc"},
  };
  for (const auto& [bytes, code, place, message] : cases) {
    CAPTURE(message);
    const Error error = read(bytes);
    CHECK(error.code() == code);
    CHECK(error.message() == message);
    CHECK_MESSAGE(error.place().ends_with(place), error.place());
  }
}

TEST_CASE("packed numbers that are cut off") {
  const test::TemporaryFolder scratch;
  const auto packed = [&](int field, const std::string& bytes) {
    ProgramBuilder builder;
    framework::OpDesc::Attr& attr = test::add_attr(builder.op("relu", {}, {}), "a", framework::INTS);
    attr.GetReflection()->MutableUnknownFields(&attr)->AddLengthDelimited(field, bytes);
    return test::error_of([&] { read_program_desc(MappedFile::open(scratch.write("m", builder.bytes()))); });
  };
  using Attr = framework::OpDesc::Attr;
  for (const auto& [field, name] : {std::pair{Attr::kIntsFieldNumber, "ints"},
                                    {Attr::kLongsFieldNumber, "longs"},
                                    {Attr::kBoolsFieldNumber, "bools"}}) {
    const Error error = packed(field, "\x01\x80");
    CHECK(error.code() == E_TRUNCATED);
    CHECK(error.message() == "the file ends too early: a number that is cut off");
    CHECK(error.place().ends_with("(blocks[0].ops[0].attrs[0]." + std::string(name) + "[0])"));
  }
  for (const int field : {Attr::kFloatsFieldNumber, Attr::kFloat64SFieldNumber}) {
    CHECK(packed(field, "abc").message() == "not a ProgramDesc");
  }
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
