#include "runtime/paddle/read/paddle_3_operators.h"

#include <doctest/doctest.h>

#include "runtime/paddle/program/make_op.h"

using namespace fluid2onnx;

namespace {

Program program_of(Op op, std::int64_t version = 3000000) {
  Program program;
  program.version = version;
  program.blocks.resize(1);
  program.blocks[0].ops.push_back(std::move(op));
  return program;
}

Op adopted(Op op, std::int64_t version = 3000000) {
  Program program = program_of(std::move(op), version);
  adopt_paddle_3_operators(program);
  return program.blocks[0].ops.front();
}

/// An operator, by default with one result.
Op make(const char* type, std::vector<Attribute> attrs = {}, std::vector<Slot> inputs = {},
        std::vector<Slot> outputs = {{"Out", {"y"}}}) {
  return make_op(type, std::move(inputs), std::move(outputs), std::move(attrs));
}

}  // namespace

TEST_CASE("numbers of any kind become those of the dtype") {
  const std::vector<Number> whole{std::int64_t{9007199254740993}, std::int64_t{-1}}, real{0.5, std::int64_t{2}};
  const Op ints = adopted(make("assign_value", {{"dtype", std::int64_t{3}}, {"values", whole}}));
  CHECK(ints.get_ints("int64_values") == std::vector<std::int64_t>{9007199254740993, -1});
  const Op floats = adopted(make("assign_value", {{"dtype", std::int64_t{5}}, {"values", real}}));
  CHECK(floats.get_floats("fp32_values") == std::vector<double>{0.5, 2});
  const Op truths = adopted(make("assign_value", {{"dtype", std::int64_t{0}}, {"values", std::vector<Number>{true}}}));
  CHECK(truths.get_ints("bool_values") == std::vector<std::int64_t>{1});
  const std::vector<Number> both{std::complex<double>(1, -2), 0.5};
  const Op complex = adopted(make("assign_value", {{"dtype", std::int64_t{23}}, {"values", both}}));
  CHECK(complex.get_floats("fp32_values") == std::vector<double>{1, -2, 0.5, 0});
  const Op wrong = adopted(make("assign_value", {{"dtype", std::int64_t{3}}, {"values", real}}));
  CHECK(wrong.refusal == "the values of an 'assign_value' of int64 cannot be converted");
}

TEST_CASE("operators whose results a release changed record their release") {
  CHECK(adopted(make("round"), 3003001).get_int("paddle_release") == 3003001);
  CHECK_FALSE(adopted(make("round"), 2006002).attr("paddle_release"));
  CHECK_FALSE(adopted(make("relu")).attr("paddle_release"));
}

TEST_CASE("new operators have the names that specs give them and their parts") {
  const Op op = adopted(make("baddbmm", {{"Beta", 0.5}}, {{"Input", {"a"}}, {"X", {"b"}}, {"Y", {"c"}}}));
  CHECK(op.input("input", 0) == "a");
  CHECK(op.input("y", 0) == "c");
  CHECK(op.output("out", 0) == "y");
  CHECK(op.get_float("beta") == 0.5);
  CHECK(adopted(make("gammaln", {}, {{"x", {"a"}}}, {{"out", {"y"}}})).type == "lgamma");
  CHECK(adopted(make("rms_norm", {{"begin_norm_axis", std::int64_t{1}}})).type == "rms_norm");
}

TEST_CASE("new attributes may have their neutral value, of any kind") {
  const auto accepts = [](const char* type, const char* attr, AttributeValue value) {
    const std::string refusal = adopted(make(type, {{attr, std::move(value)}})).refusal;
    const std::string expected = "attribute '" + std::string(attr) + "' of '" + type + "' cannot be converted";
    CHECK((refusal.empty() || refusal == expected));
    return refusal.empty();
  };
  const std::string text = "?";
  CHECK(accepts("adam", "amsgrad", false));
  CHECK(accepts("adam", "amsgrad", std::int64_t{0}));
  CHECK_FALSE(accepts("adam", "amsgrad", true));
  CHECK_FALSE(accepts("adam", "amsgrad", text));
  CHECK(accepts("top_p_sampling", "k", std::int64_t{0}));
  CHECK(accepts("top_p_sampling", "k", 0.0));
  CHECK_FALSE(accepts("top_p_sampling", "k", std::int64_t{5}));
  CHECK_FALSE(accepts("top_p_sampling", "k", text));
  CHECK(accepts("top_p_sampling", "mode", std::string("truncate")));
  CHECK_FALSE(accepts("top_p_sampling", "mode", std::string("non-truncate")));
  CHECK(accepts("block_multihead_attention", "rope_theta", 10000.0));
  CHECK_FALSE(accepts("block_multihead_attention", "rope_theta", text));
  CHECK(accepts("p_recv", "out_shape", std::vector<std::int64_t>{}));
  CHECK_FALSE(accepts("p_recv", "out_shape", std::vector<std::int64_t>{1}));
}

TEST_CASE("the values of an assign_value may be missing, or have their old form") {
  CHECK(adopted(make("assign_value", {})).attrs.empty());
  for (const AttributeValue& value : {AttributeValue(std::string("x")), AttributeValue(std::vector<Number>{})}) {
    CHECK(adopted(make("assign_value", {{"values", value}})).attrs.size() == 1);
  }
  const std::vector<Number> numbers{0.5, std::complex<double>(1, 2)};
  CHECK(adopted(make("assign_value", {{"dtype", std::int64_t{5}}, {"values", numbers}})).refusal ==
        "the values of an 'assign_value' of float32 cannot be converted");
  const Op wide = adopted(make("assign_value", {{"dtype", std::int64_t{24}}, {"values", numbers}}));
  CHECK(wide.get_floats("fp64_values") == std::vector<double>{0.5, 0, 1, 2});
  CHECK(adopted(make("assign_value", {{"dtype", std::int64_t{6}}, {"values", std::vector<Number>{0.5}}}))
            .get_floats("fp64_values") == std::vector<double>{0.5});
  CHECK(adopted(make("assign_value", {{"dtype", std::int64_t{2}}, {"values", std::vector<Number>{true}}}))
            .get_ints("int32_values") == std::vector<std::int64_t>{1});
}

TEST_CASE("an operator of two forms has the new one only with its attribute") {
  CHECK(adopted(make("rms_norm", {{"normalized_shape", std::vector<std::int64_t>{4}}})).type == "rms_norm_v3");
  CHECK(adopted(make("round"), 2006002).attr("paddle_release") == nullptr);
}

TEST_CASE("the sizes of a tensor are int64 in Paddle 3") {
  Program program = program_of(make("shape64", {}, {{"input", {"x"}}}, {{"out", {"y"}}}));
  adopt_paddle_3_operators(program);
  REQUIRE(program.blocks[0].ops.size() == 2);
  CHECK(program.blocks[0].ops[0].type == "shape");
  CHECK(program.blocks[0].ops[0].output("Out", 0) == program.blocks[0].ops[1].input("X", 0));
  CHECK(program.blocks[0].ops[1].output("Out", 0) == "y");
}

TEST_CASE("only the one result of 'shape64' is converted") {
  const auto results = [](std::vector<Slot> outputs) {
    Program program = program_of(make("shape64", {}, {{"input", {"x"}}}, std::move(outputs)));
    adopt_paddle_3_operators(program);
    return program.blocks[0].ops.back().outputs.size();
  };
  CHECK(results({{"other", {"z"}}, {"out", {"y"}}}) == 1);
  CHECK(results({{"out", {"y", "z"}}}) == 0);
  CHECK(results({}) == 0);
}

TEST_CASE("what no spec knows is refused") {
  CHECK(adopted(make("histogram", {}, {{"Weight", {"w"}}})).refusal ==
        "operand 'Weight' of 'histogram' cannot be converted");
  CHECK(adopted(make("histogram")).refusal.empty());
  const auto generated = [](double a) { return adopted(make("truncated_gaussian_random", {{"a", a}})).refusal; };
  CHECK(generated(-2.0).empty());
  CHECK(generated(-1.0) == "attribute 'a' of 'truncated_gaussian_random' cannot be converted");
}
