#include "runtime/paddle/program/uses.h"

#include <algorithm>

#include "runtime/paddle/read/open_model.h"
#include "tests/runtime/paddle/read/sample_programs.h"

namespace fluid2onnx {
namespace {

using Names = std::vector<std::string>;

const Op& find_op(const Program& program, const std::string& type) {
  for (const Block& block : program.blocks) {
    for (const Op& op : block.ops) {
      if (op.type == type) return op;
    }
  }
  FAIL(type);
  return program.main().ops.front();
}

bool has(const Names& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

TEST_CASE("a while reads what its body reads from outside, and writes its loop state") {
  const Program program = open_model(test::sample("while_loop"));
  const Op& loop = find_op(program, "while");
  const BlockUses uses = block_uses(program, loop.sub_blocks().front());
  Names declared = loop.output("Out");
  std::sort(declared.begin(), declared.end());
  Names found = uses.writes;
  std::sort(found.begin(), found.end());
  CHECK(found == declared);
  CHECK(has(uses.reads, "linear_0.w_0"));
  for (const std::string& name : uses.reads) CHECK(program.find_variable(0, name) != nullptr);
}

TEST_CASE("names in attributes are read") {
  const Program program = open_model(test::sample("axis_tensor"));
  bool found = false;
  for (const Op& op : program.main().ops) {
    for (const Attribute& attribute : op.attrs) {
      const VariableRefs* refs = attribute.as_variables();
      if (!refs) continue;
      found = true;
      for (const std::string& name : refs->names) CHECK(has(names_read(program, op), name));
    }
  }
  CHECK(found);
}

TEST_CASE("an array that is written to is read as well") {
  const Program program = open_model(test::sample("tensor_array"));
  const Op& write = find_op(program, "write_to_array");
  CHECK(has(names_read(program, write), write.output("Out", 0)));
  CHECK(has(names_written(program, write), write.output("Out", 0)));
}

// Blocks 0 > 1 > 2; "x" is outer, "t" belongs to block 1.
TEST_CASE("reads after sure writes and names of inner blocks stay inside") {
  test::ProgramBuilder builder;
  builder.var("x");
  builder.var("y");
  builder.feed("x");
  const int middle = builder.block(0), inner = builder.block(middle);
  builder.var("t", {2}, false, middle);
  builder.op("relu", {"x"}, {"t"}, middle);
  test::add_sub_block(builder.op("while", {"t"}, {}, middle), inner);
  builder.op("relu", {"y"}, {"z"}, middle);
  builder.op("relu", {"t"}, {"y"}, inner);
  builder.op("relu", {"y"}, {"t"}, inner);
  test::add_sub_block(builder.op("conditional_block", {}, {"y"}), middle);
  builder.fetch("y");
  const Program program = builder.read();
  const Op& op = program.main().ops.front();
  CHECK(block_uses(program, inner).reads == Names{"t"});
  CHECK(block_uses(program, inner).writes == Names{"y", "t"});
  // "y" is read after a write that may not have happened.
  CHECK(names_read(program, op) == Names{"x", "y"});
  CHECK(names_written(program, op) == Names{"y"});
}

}  // namespace
}  // namespace fluid2onnx
