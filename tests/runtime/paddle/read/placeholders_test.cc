#include "runtime/paddle/read/placeholders.h"

#include <algorithm>

#include "tests/runtime/paddle/read/sample_programs.h"

namespace fluid2onnx {
namespace {

using test::ProgramBuilder;

ProgramBuilder model_with(const std::vector<std::int64_t>& dims) {
  ProgramBuilder builder;
  builder.var("x");
  builder.var("w", dims, true);
  builder.feed("x");
  builder.fetch("x");
  return builder;
}

}  // namespace

TEST_CASE("placeholders of parameters are zeros of the declared size") {
  ProgramBuilder builder = model_with({2, 3});
  builder.var("empty", {4, 0}, true);
  builder.var("scalar", {}, true);
  Program program = builder.read();
  REQUIRE(add_placeholders(program));
  CHECK(program.parameters.size() == 3);
  const Parameter* weight = program.find_parameter("w");
  REQUIRE(weight);
  CHECK(weight->dims == Shape{2, 3});
  CHECK(weight->dtype == Dtype::float32);
  const auto bytes = weight->data.bytes();
  CHECK(bytes.size() == 24);
  CHECK(std::all_of(bytes.begin(), bytes.end(), [](std::uint8_t byte) { return byte == 0; }));
  CHECK(program.find_parameter("empty")->data.length == 0);
  CHECK(program.find_parameter("scalar")->data.length == 4);
}

TEST_CASE("a parameter without a size has no placeholder, nor have the others") {
  const auto added = [](const ProgramBuilder& builder) {
    Program program = builder.read();
    const bool result = add_placeholders(program);
    CHECK(program.parameters.empty() != result);
    return result;
  };
  constexpr std::int64_t kLarge = std::int64_t{1} << 30;
  CHECK(added(model_with({2})));
  CHECK_FALSE(added(model_with({2, -1})));
  CHECK_FALSE(added(model_with({kLarge, kLarge})));
  ProgramBuilder untyped = model_with({2});
  untyped.var("v", {2}, true).mutable_type()->mutable_lod_tensor()->mutable_tensor()->clear_data_type();
  CHECK_FALSE(added(untyped));
  ProgramBuilder shapeless = model_with({2});
  shapeless.var("v", {2}, true).mutable_type()->mutable_lod_tensor()->clear_tensor();
  CHECK_FALSE(added(shapeless));
}

}  // namespace fluid2onnx
