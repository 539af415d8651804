#include "runtime/to_onnx/converter_lookup.h"

#include <doctest/doctest.h>

#include "runtime/to_onnx/operator_facts.h"
#include "tests/runtime/to_onnx/make_program.h"

using namespace fluid2onnx;

TEST_CASE("what the user asks for comes before specs, and these before built-in converters") {
  ConvertOptions options;
  ConverterLookup built_in(options);
  CHECK(built_in.find("relu").built_in);
  CHECK(!built_in.find("nothing_like_it"));

  AddedConverters specs;
  specs.paddle["relu"].spec = "my.yaml";
  options.specs = std::make_shared<const AddedConverters>(specs);
  ConverterLookup with_specs(options);
  CHECK(with_specs.find("relu").added);
  CHECK(!with_specs.find("relu").built_in);

  options.custom_ops["relu"] = {"mine", "Relu"};
  ConverterLookup with_custom(options);
  CHECK(with_custom.find("relu").custom);
  CHECK(!with_custom.find("relu").added);
}

TEST_CASE("the hint names what the user nearly asked for") {
  ConvertOptions options;
  CHECK(ConverterLookup(options).unsupported_hint("my_operator").find("--spec") != std::string::npos);
  options.custom_ops["my_operatr"] = {"mine", "Mine"};
  CHECK(ConverterLookup(options).unsupported_hint("my_operator") ==
        "--custom-op names 'my_operatr': did you mean 'my_operator'?");
}

TEST_CASE("Paddle's number for an undefined variable") {
  MakeProgram m;
  m.variable("y", Dtype::float32, {1});
  const auto undefined = [&](const char* op, const char* attribute, double number) {
    return gives_undefined(m.op(op, {}, {{"Out", {"y"}}}, {{attribute, number}}));
  };
  CHECK(undefined("fill_constant", "value", 1.77113e27));
  CHECK(!undefined("fill_constant", "value", 1.0));
  CHECK(!undefined("scale", "value", 1.77113e27));
}
