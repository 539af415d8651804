#include "runtime/paddle/program/attribute_text.h"

#include <doctest/doctest.h>

#include <cmath>
#include <complex>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

using namespace fluid2onnx;

namespace {

std::string json_of(AttributeValue value) { return attribute_json({"a", std::move(value)}).dump(); }

constexpr double kInfinite = std::numeric_limits<double>::infinity();

}  // namespace

TEST_CASE("attributes as JSON") {
  CHECK(json_of(true) == "true");
  CHECK(json_of(int64_t{-3}) == "-3");
  CHECK(json_of(0.5) == "0.5");
  CHECK(json_of(std::string("NCHW")) == R"("NCHW")");
  CHECK(json_of(Dtype::float16) == R"("float16")");
  CHECK(json_of(std::vector<int64_t>{1, 2}) == "[1,2]");
  CHECK(json_of(std::vector<bool>{true, false}) == "[true,false]");
  CHECK(json_of(std::vector<std::string>{"x", "y"}) == R"(["x","y"])");
}

TEST_CASE("JSON has neither infinities nor complex numbers") {
  CHECK(json_of(kInfinite) == R"("inf")");
  CHECK(json_of(-kInfinite) == R"("-inf")");
  CHECK(json_of(std::nan("")) == R"("nan")");
  CHECK(json_of(std::vector<double>{0.5, -kInfinite}) == R"([0.5,"-inf"])");
  CHECK(json_of(std::complex<double>(1, kInfinite)) == R"([1.0,"inf"])");
  CHECK(json_of(std::vector<Number>{true, int64_t{2}, 0.5, std::complex<double>(1, 2)}) == "[true,2,0.5,[1.0,2.0]]");
}

TEST_CASE("blocks and variables are named as such") {
  CHECK(json_of(BlockRefs{{2}}) == R"({"block":2})");
  CHECK(json_of(BlockRefs{{2, 3}}) == R"({"blocks":[2,3]})");
  CHECK(json_of(VariableRefs{{"x"}, false}) == R"({"variable":"x"})");
  CHECK(json_of(VariableRefs{{"x"}, true}) == R"({"variables":["x"]})");
  CHECK(json_of(VariableRefs{{}, false}) == R"({"variables":[]})");
}

TEST_CASE("of long lists, JSON has the number of elements, and text the first ones") {
  CHECK(json_of(std::vector<int64_t>(1001)) == R"({"elements":1001})");
  CHECK(json_of(std::vector<bool>(1001)) == R"({"elements":1001})");
  CHECK(attribute_text({"axis", int64_t{1}}) == "axis=1");
  CHECK(attribute_text({"shape", std::vector<int64_t>{1, 2}}) == "shape=[1, 2]");
  CHECK(attribute_text({"shape", std::vector<int64_t>(9)}) == "shape=[0, 0, 0, 0, 0, 0, 0, 0, ... of 9]");
  // Bytes that are no UTF-8.
  CHECK(attribute_text({"name", std::string("a\xff")}).starts_with("name=\"a"));
}
