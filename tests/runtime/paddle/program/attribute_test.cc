#include "runtime/paddle/program/attribute.h"

#include <cmath>

#include "tests/runtime/paddle/read/sample_programs.h"

namespace fluid2onnx {
namespace {

Attribute make(AttributeValue value) { return {"a", std::move(value)}; }

using Ints = std::vector<std::int64_t>;
using Floats = std::vector<double>;

TEST_CASE("integers are read from every kind that holds them") {
  CHECK(make(std::int64_t{3}).as_ints() == Ints{3});
  CHECK(make(true).as_ints() == Ints{1});
  CHECK(make(Ints{3, 4}).as_ints() == Ints{3, 4});
  CHECK(make(Ints{}).as_ints() == Ints{});
  CHECK(make(std::vector<bool>{true, false}).as_ints() == Ints{1, 0});
  CHECK(make(std::vector<Number>{std::int64_t{1}, 2.0}).as_ints() == Ints{1, 2});
  CHECK(make(2.0).as_int() == 2);
  CHECK(make(Ints{7}).as_int() == 7);
  CHECK_FALSE(make(2.5).as_int());
  CHECK_FALSE(make(std::nan("")).as_int());
  CHECK_FALSE(make(1e300).as_int());
  CHECK_FALSE(make(9223372036854775808.0).as_int());
  CHECK_FALSE(make(Ints{7, 8}).as_int());
  CHECK_FALSE(make(std::string("7")).as_int());
  CHECK_FALSE(make(VariableRefs{{"n"}, false}).as_ints());
}

TEST_CASE("floats are read from every kind that holds them") {
  CHECK(make(0.5).as_float() == 0.5);
  CHECK(make(std::int64_t{2}).as_float() == 2.0);
  CHECK(make(Floats{0.5}).as_float() == 0.5);
  CHECK(make(0.5).as_floats() == Floats{0.5});
  CHECK(make(Ints{1, 2}).as_floats() == Floats{1, 2});
  CHECK(make(std::vector<Number>{0.5, std::complex<double>(2, 0)}).as_floats() == Floats{0.5, 2});
  CHECK_FALSE(make(std::complex<double>(1, 2)).as_float());
  CHECK_FALSE(make(std::string("x")).as_floats());
}

TEST_CASE("bools, strings, dtypes and scalars") {
  CHECK(make(std::int64_t{1}).as_bool() == true);
  CHECK(make(false).as_bool() == false);
  CHECK_FALSE(make(1.0).as_bool());
  CHECK(make(std::string("x")).as_strings() == std::vector<std::string>{"x"});
  CHECK(make(std::int64_t{5}).as_dtype() == Dtype::float32);
  CHECK(make(std::int64_t{-1}).as_dtype() == Dtype::undefined);
  CHECK(make(Dtype::int8).as_dtype() == Dtype::int8);
  CHECK(make(std::string("int64")).as_dtype() == Dtype::int64);
  CHECK_FALSE(make(std::int64_t{7}).as_dtype());
  CHECK(make(std::complex<double>(1, 2)).as_scalars()->size() == 1);
  CHECK(make(BlockRefs{{1}}).as_blocks()->blocks.front() == 1);
  CHECK(make(0.5).as_blocks() == nullptr);
  CHECK(std::string(make(Ints{}).kind_name()) == "a list of integers");
}

TEST_CASE("an op's attributes: absent, readable, or an error") {
  Op op;
  op.type = "scale";
  op.index = 4;
  op.source = SourceLine{"/home/user/net.py", 12, "forward"};
  op.attrs = {make(std::string("x")), {"axis", VariableRefs{{"n"}, false}}};
  CHECK_FALSE(op.get_int("none"));
  CHECK(op.get_string("a") == "x");
  const Error error = test::error_of([&] { op.get_ints("a"); });
  CHECK(std::string(error.what()) ==
        "block 0, op 4 'scale' (net.py:12 in forward): attribute 'a' is a string, expected a list "
        "of integers [E_ATTR_KIND]");
  CHECK(test::error_of([&] { op.get_int("axis"); }).message() ==
        "attribute 'axis' is computed at run time, expected an integer");
}

TEST_CASE("lists of attributes are shared until one is changed") {
  const AttributeList first = {make(std::int64_t{1})};
  AttributeList second = first;
  CHECK(&*first.begin() == &*second.begin());
  second.push_back(make(true));
  second.edit().front().value = std::int64_t{2};
  CHECK(first.size() == 1);
  CHECK(second.size() == 2);
  CHECK(first.begin()->as_int() == 1);
  CHECK(second.begin()->as_int() == 2);
  CHECK(AttributeList().empty());
  for (const Attribute& attribute : AttributeList()) FAIL(attribute.name);
}

}  // namespace
}  // namespace fluid2onnx
