#include <doctest/doctest.h>

#include "runtime/onnx/graph/runtime_kernels.h"
#include "runtime/support/refused.h"
#include "tests/runtime/onnx/graph/fixture.h"

using namespace fluid2onnx;
using test::Bench;

TEST_CASE("the table of missing kernels is read") {
  CHECK(runtime_lacks("Conv", 11, "", Dtype::float64));
  CHECK(!runtime_lacks("Conv", 11, "", Dtype::float32));
  CHECK(runtime_lacks("Clip", 11, "", Dtype::float64));
  CHECK(!runtime_lacks("Clip", 12, "", Dtype::float64));
  CHECK(runtime_lacks("OneHot", 11, "T2", Dtype::int8));
  CHECK(runtime_lacks("Conv", 28, "", Dtype::float64));  // newer than the table
}

TEST_CASE("an attribute may decide whether there is a kernel") {
  CHECK(runtime_lacks_when("ScatterND", 18, "reduction", "add", Dtype::float16));
  CHECK(!runtime_lacks_when("ScatterND", 18, "reduction", "none", Dtype::float16));
  const auto nodes = [](const char* reduction) {
    Bench b(18);
    const Value x = b.input("x", Dtype::float16, {"4"}), updates = b.input("updates", Dtype::float16, {"1"});
    const Value at = b.input("at", Dtype::int64, {"1", "1"});
    CHECK(b.type(b.emitter.emit_one("ScatterND", {x, at, updates}, {Attr("reduction", reduction)})) == "float16[4]");
    return b.nodes();
  };
  CHECK(nodes("add") == "Cast Cast ScatterND Cast");
  CHECK(nodes("none") == "ScatterND");
}

TEST_CASE("dtypes that the opset does not admit are cast around the node") {
  Bench b(11);
  const Value x = b.input("x", Dtype::int32, {"N"});
  const Value y =
      b.emitter.emit_one("Max", {x, b.emitter.constant(Tensor::of(Dtype::int32, {}, std::vector<int32_t>{3}))});
  CHECK(b.nodes() == "Cast Max Cast");  // the constant is cast at once
  CHECK(b.type(y) == "int32[N]");
  REQUIRE(b.emitter.legalised().size() == 1);
  CHECK(b.emitter.legalised()[0] == CastNote{"Max", Dtype::int32, Dtype::float64, false});
}

TEST_CASE("dtypes that ONNX Runtime lacks are cast around the node") {
  Bench b(17);
  const Value x = b.input("x", Dtype::float64, {"1", "3", "8", "8"});
  const Value w = b.model.add_parameter("w", Tensor(Dtype::float64, {4, 3, 3, 3}, std::vector<uint8_t>(864)));
  const Value y = b.emitter.emit_one("Conv", {x, w});
  CHECK(b.type(y) == "float64[1,4,6,6]");
  CHECK(b.nodes() == "Cast Conv Cast");
  CHECK(b.emitter.legalised()[0] == CastNote{"Conv", Dtype::float64, Dtype::float32, true});
}

TEST_CASE("operands with a fixed dtype are cast to it") {
  Bench b(17);
  const Value x = b.input("x", Dtype::float32, {"N", "6"});
  const Value shape = b.input("shape", Dtype::int32, {"2"});
  b.emitter.emit_one("Reshape", {x, shape});
  CHECK(b.nodes() == "Cast Reshape");
}

TEST_CASE("a dtype that only newer opsets have") {
  Bench b(9);
  const Value x = b.input("x", Dtype::bfloat16, {"N"});
  try {
    b.emitter.cast(x, Dtype::float32);
    FAIL("not refused");
  } catch (const Refused& e) {
    CHECK(e.code() == E_DTYPE);
    CHECK(e.lowest_opset() == 13);
  }
  CHECK_THROWS_AS(b.emitter.copy(x, "y"), Refused);
}

TEST_CASE("a dtype that ONNX Runtime cannot even count is cast") {
  Bench b(13);
  b.emitter.emit_one("Size", {b.input("x", Dtype::bfloat16, {"N"})});
  CHECK(b.nodes() == "Cast Size");
}

TEST_CASE("a dtype that nothing can stand for is refused") {
  Bench b(17);
  const Value s = b.input("s", Dtype::string, {"N"});
  CHECK_THROWS_AS(b.emitter.emit_one("Relu", {s}), Refused);
}
