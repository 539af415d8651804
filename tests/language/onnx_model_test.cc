#include <algorithm>

#include <doctest/doctest.h>

#include "support.h"

namespace opgen::test {
namespace {

const Adaptation* adaptation(const OnnxGroup& group, Adaptation::Kind kind, const std::string& name) {
  for (const Adaptation& a : group.adaptations)
    if (a.kind == kind && a.name == name) return &a;
  return nullptr;
}

}  // namespace

TEST_CASE("operands that were attributes are derived from the schemas") {
  const OnnxGroup* squeeze = onnx().find("Squeeze", 0);
  REQUIRE(squeeze != nullptr);
  CHECK(squeeze->first == 7);
  const Adaptation* axes = adaptation(*squeeze, Adaptation::Kind::input_was_attr, "axes");
  REQUIRE(axes != nullptr);
  CHECK(axes->since == 13);
  CHECK(axes->index == 1);

  const Adaptation* k = adaptation(*onnx().find("TopK", 0), Adaptation::Kind::input_was_attr, "K");
  REQUIRE(k != nullptr);
  CHECK(k->since == 10);
  CHECK(k->old_name == "k");
}

TEST_CASE("nothing is derived across a change of meaning") {
  CHECK(onnx().find("Softmax", 0)->first == 13);
  const OnnxGroup* old = onnx().find("Softmax", 11);
  REQUIRE(old != nullptr);
  CHECK(old->first == 7);
  CHECK(old->last == 12);
  CHECK(old->builder == "Softmax_11");
  CHECK(onnx().find("Softmax", 12) == nullptr);
}

TEST_CASE("what came later is known") {
  CHECK(adaptation(*onnx().find("Slice", 0), Adaptation::Kind::input_added, "steps")->since == 10);
  CHECK(adaptation(*onnx().find("AveragePool", 0), Adaptation::Kind::attr_added, "ceil_mode")->since == 10);
  CHECK(onnx().find("Gelu", 0)->first == 20);
  CHECK(onnx().find("Upsample", 0)->last == 9);
}

}  // namespace opgen::test
