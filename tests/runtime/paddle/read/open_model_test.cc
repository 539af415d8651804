#include "runtime/paddle/read/open_model.h"

#include <cstring>

#include "tests/runtime/paddle/read/sample_programs.h"

namespace fluid2onnx {
namespace {

using test::error_of;
using test::sample;
using test::TemporaryFolder;

TEST_CASE("jit.save: inputs, outputs, parameters, source lines") {
  const Program program = open_model(sample("jit/model.pdmodel"));
  CHECK(program.version_text() == "2.6.2");
  REQUIRE(program.inputs.size() == 2);
  CHECK(program.inputs[0].name == "image");
  CHECK(program.inputs[1].name == "ids");
  const Variable* image = program.find_variable(0, "image");
  REQUIRE(image);
  CHECK(image->dtype == Dtype::float32);
  CHECK(image->dims == Shape{-1, 2, 8, 8});
  CHECK(program.outputs.size() == 2);
  CHECK(program.op_versions.count("roi_align") == 1);

  const Parameter* weight = program.find_parameter("conv2d_0.w_0");
  REQUIRE(weight);
  CHECK(weight->dims == Shape{4, 2, 3, 3});
  CHECK(weight->data.length == 4 * 2 * 3 * 3 * 4);
  CHECK(weight->data.bytes().size() == weight->data.length);
  const Parameter* gain = program.find_parameter("small_0.w_0");
  REQUIRE(gain);
  CHECK(gain->dims.empty());
  float value = 0;
  REQUIRE(gain->data.length == sizeof value);
  std::memcpy(&value, gain->data.bytes().data(), sizeof value);
  CHECK(value == 1.5f);

  for (const Op& op : program.main().ops) {
    CHECK(op.type != "feed");
    CHECK(op.type != "fetch");
    CHECK(op.attr("op_callstack") == nullptr);
    if (op.type == "conv2d") CHECK(op.get_ints("strides") == std::vector<std::int64_t>{1, 1});
    if (op.type == "flatten_contiguous_range") {
      CHECK(op.source.line().file == "/home/user/net.py");
      CHECK(op.source.line().function == "forward");
    }
  }
}

TEST_CASE("every sample opens") {
  for (const char* name : {"jit", "static_save", "model_separate", "model_combined", "no_params", "param_dtypes",
                           "while_loop", "while_swap", "cond_branch", "nested_control", "tensor_array",
                           "tensor_shape_args", "axis_tensor", "zero_dim", "set_item", "lstm", "ops_1x", "ptq_int8"}) {
    CAPTURE(name);
    const Program program = open_model(sample(name));
    CHECK_FALSE(program.inputs.empty());
    CHECK_FALSE(program.outputs.empty());
    CHECK_FALSE(program.main().ops.empty());
  }
}

TEST_CASE("parameters of every element type") {
  const Program program = open_model(sample("param_dtypes"));
  std::map<Dtype, int> dtypes;
  for (const auto& [name, parameter] : program.parameters) ++dtypes[parameter.dtype];
  for (Dtype dtype : {Dtype::bool_, Dtype::uint8, Dtype::int16, Dtype::int32, Dtype::int64, Dtype::float16,
                      Dtype::bfloat16, Dtype::float64}) {
    CHECK(dtypes[dtype] == 1);
  }
  CHECK(dtypes[Dtype::float32] == 2);
}

TEST_CASE("separate and combined parameters are the same") {
  const Program separate = open_model(sample("model_separate"));
  const Program combined = open_model(sample("model_combined"));
  CHECK(separate.params_path == sample("model_separate"));
  CHECK(combined.params_path == sample("model_combined/__params__"));
  // The two were saved one after the other: Paddle counts on, "fc_1.w_0" and "fc_2.w_0".
  REQUIRE(separate.parameters.size() == 2);
  for (const auto& [name, parameter] : separate.parameters) {
    const Parameter* other = combined.find_parameter("fc_2" + name.substr(4));
    REQUIRE(other);
    CHECK(other->dims == parameter.dims);
    CHECK(other->data.length == parameter.data.length);
  }
}

TEST_CASE("other files given as a model are recognised") {
  const auto refuse = [](const std::string& path) { return error_of([&] { open_model(path); }); };
  const Error pickle = refuse(sample("jit/model.pdiparams.info"));
  CHECK(pickle.code() == E_NOT_A_MODEL);
  CHECK(pickle.message() ==
        "the file is a pickle (paddle.save) with weights but no network; expected a Paddle "
        "program");
  CHECK(refuse(sample("jit/model.pdiparams")).message().find("parameter file") != std::string::npos);
  CHECK(refuse(sample("jit/io.npz")).message().find("zip") != std::string::npos);
  const TemporaryFolder scratch;
  CHECK(refuse(scratch.write("empty", "")).message().find("empty") != std::string::npos);
  CHECK(refuse(scratch.write("x.onnx", std::string("\x08\x07\x12\x00", 4))).message().find("ONNX") !=
        std::string::npos);
  CHECK(refuse("/dev/null").code() == E_NOT_A_FILE);
}

TEST_CASE("a training program has no outputs") {
  test::ProgramBuilder builder;
  builder.var("x");
  builder.op("relu", {"x"}, {"x"});
  const TemporaryFolder scratch;
  const std::string path = scratch.write("train.pdmodel", builder.bytes());
  CHECK(error_of([&] { open_model(path); }).code() == E_TRAINING_PROGRAM);
  OpenOptions options;
  options.require_outputs = false;
  CHECK(open_model(path, options).outputs.empty());
}

TEST_CASE("a parameter file for a model without parameters") {
  test::ProgramBuilder builder;
  builder.var("x");
  builder.feed("x");
  builder.fetch("x");
  const TemporaryFolder scratch;
  const std::string path = scratch.write("m.pdmodel", builder.bytes());
  CHECK(open_model(path).params_path.empty());
  OpenOptions options;
  options.params_path = scratch.write("empty", "");
  CHECK(open_model(path, options).params_path == options.params_path);
  options.params_path = scratch.write("w", test::tensor_bytes(5, {2}, 8));
  const Error error = error_of([&] { open_model(path, options); });
  CHECK(error.code() == E_PARAM_MISMATCH);
  CHECK(error.message() == "32 bytes are left after the last of 0 parameters");
}

TEST_CASE("parameters are loaded only if wanted") {
  OpenOptions options;
  options.load_parameters = false;
  CHECK(open_model(sample("jit"), options).parameters.empty());
}

}  // namespace
}  // namespace fluid2onnx
