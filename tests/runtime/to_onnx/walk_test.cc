#include "runtime/to_onnx/walk.h"

#include <doctest/doctest.h>

#include "tests/runtime/to_onnx/make_program.h"

using namespace fluid2onnx;

namespace {

/// x -> v1 -> v2 ... of relu operators.
MakeProgram chain(int operators) {
  MakeProgram m;
  m.input("v0");
  for (int i = 0; i < operators; ++i) {
    m.variable("v" + std::to_string(i + 1));
    m.unary("relu", "v" + std::to_string(i), "v" + std::to_string(i + 1));
  }
  return m;
}

const Progress kNoProgress;

}  // namespace

TEST_CASE("a walk visits what the wanted variables need, in order") {
  MakeProgram m = chain(2);
  m.variable("unused");
  m.unary("exp", "v0", "unused");
  m.unary("tanh", "v2", "v2");
  ReleasableProgram program(m.program);
  std::vector<std::string> visited;
  Walk walk(
      program,
      [&](const std::vector<NeededOp>& ops, size_t position, Scope&) {
        visited.push_back(ops[position].op->type);
        return false;
      },
      kNoProgress);
  Scope scope;
  SUBCASE("all of it") {
    walk.run_main(scope, {"v2"}, {});
    CHECK(visited == std::vector<std::string>{"relu", "relu", "tanh"});
  }
  SUBCASE("what a kept variable hides") {
    walk.run_main(scope, {"v2"}, {"v1"});
    CHECK(visited == std::vector<std::string>{"relu", "tanh"});
  }
}

TEST_CASE("an owned program is released behind the walk") {
  constexpr int kOperators = 2000;  // more than one batch
  bool deferred = false;
  SUBCASE("operators whose results are not read any more") {}
  SUBCASE("nothing if an operator is converted later") { deferred = true; }
  ReleasableProgram program(chain(kOperators).program);
  Walk walk(
      program,
      [&](const std::vector<NeededOp>& ops, size_t position, Scope& scope) {
        scope.set(ops[position].op->output("Out", 0), {});
        return deferred && position == 0;
      },
      kNoProgress);
  Scope scope;
  walk.run_main(scope, {"v2000"}, {});
  const Block& main = program.get().main();
  CHECK(main.ops.front().inputs.empty() == !deferred);
  CHECK(main.ops.front().type == "relu");
  CHECK((main.find("v1") == nullptr) == !deferred);
  CHECK((scope.find("v1") == nullptr) == !deferred);
  CHECK(main.ops.back().inputs.size() == 1);
  CHECK(scope.find("v2000"));
}

TEST_CASE("a borrowed program stays as it is") {
  const MakeProgram m = chain(2000);
  ReleasableProgram program(m.program);
  Walk walk(
      program, [](const std::vector<NeededOp>&, size_t, Scope&) { return false; }, kNoProgress);
  Scope scope;
  walk.run_main(scope, {"v2000"}, {});
  program.release_all();
  CHECK(m.program.main().ops.front().inputs.size() == 1);
  CHECK(m.program.main().find("v1"));
}
