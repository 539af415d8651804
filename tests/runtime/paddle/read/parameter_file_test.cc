#include "runtime/paddle/read/parameter_file.h"

#include <filesystem>

#include "runtime/paddle/read/open_model.h"
#include "runtime/paddle/read/tensor_stream.h"
#include "tests/runtime/paddle/read/sample_programs.h"

namespace fluid2onnx {
namespace {

using test::error_of;
using test::TemporaryFolder;
using test::tensor_bytes;

constexpr int kFloat32 = 5;

StreamTensor read_tensor(const std::string& bytes) {
  const TemporaryFolder scratch;
  return read_stream_tensor(MappedFile::open(scratch.write("t", bytes)), 0, "parameter 'w'");
}

Error tensor_error(const std::string& bytes) {
  return error_of([&] { read_tensor(bytes); });
}

// A model with parameters "a" (float32[2]) and "b" (float32[3, 4]) and this parameter file.
Program open_with(const std::string& stream) {
  test::ProgramBuilder builder;
  builder.var("x");
  builder.var("b", {3, 4}, true);
  builder.var("a", {2}, true);
  builder.feed("x");
  builder.fetch("x");
  const TemporaryFolder scratch;
  scratch.write("m.pdiparams", stream);
  return open_model(scratch.write("m.pdmodel", builder.bytes()));
}

Error open_error(const std::string& stream) {
  return error_of([&] { open_with(stream); });
}

const std::string kA = tensor_bytes(kFloat32, {2}, 8);
const std::string kB = tensor_bytes(kFloat32, {3, 4}, 48);

TEST_CASE("tensors of all ranks") {
  CHECK(read_tensor(tensor_bytes(kFloat32, {}, 4)).dims.empty());
  CHECK(read_tensor(tensor_bytes(kFloat32, {0, 3}, 0)).data.length == 0);
  const StreamTensor tensor = read_tensor(tensor_bytes(3, {2, 2}, 32));
  CHECK(tensor.dtype == Dtype::int64);
  CHECK(tensor.dims == Shape{2, 2});
  CHECK(tensor.data.length == 32);
  CHECK(tensor.end == tensor.data.offset + 32);
}

TEST_CASE("LoD levels are skipped") {
  std::string bytes = kA;
  bytes[4] = 1;  // one level
  bytes.insert(12, std::string("\x10\0\0\0\0\0\0\0", 8) + std::string(16, '\0'));
  CHECK(read_tensor(bytes).dims == Shape{2});
  bytes[4] = '\x7f';
  bytes[11] = '\x7f';
  CHECK(tensor_error(bytes).code() == E_BAD_PARAMS);
}

TEST_CASE("a tensor cut off anywhere is an error") {
  for (std::size_t n = 0; n < kA.size(); ++n) {
    CAPTURE(n);
    CHECK(tensor_error(kA.substr(0, n)).code() == E_TRUNCATED);
  }
}

TEST_CASE("wrong headers are named") {
  std::string version = kA;
  version[0] = 1;
  const Error error = tensor_error(version);
  CHECK(error.code() == E_BAD_PARAMS);
  CHECK(error.message() == "parameter 'w' has LoD version 1, expected 0");
  CHECK(error.place().ends_with("t: byte 0"));

  std::string size = kA;
  size[19] = '\x80';  // negative
  CHECK(tensor_error(size).code() == E_BAD_PARAMS);
  size[19] = '\x7f';
  CHECK(tensor_error(size).code() == E_BAD_PARAMS);

  CHECK(tensor_error(tensor_bytes(7, {2}, 8)).message() == "parameter 'w' has the unknown element type 7");
  CHECK(tensor_error(tensor_bytes(kFloat32, {-2}, 8)).message() == "parameter 'w' has the negative dim -2");
}

TEST_CASE("huge dims neither overflow nor allocate") {
  const std::int64_t huge = std::int64_t{1} << 62;
  CHECK(tensor_error(tensor_bytes(kFloat32, {huge, huge}, 8)).message() ==
        "parameter 'w' has dims whose product exceeds 64 bits");
  CHECK(tensor_error(tensor_bytes(kFloat32, {huge / 4}, 8)).code() == E_TRUNCATED);
  CHECK(read_tensor(tensor_bytes(kFloat32, {huge, huge, 0}, 0)).data.length == 0);
}

TEST_CASE("a combined file is sorted by name") {
  const Program program = open_with(kA + kB);
  CHECK(program.find_parameter("a")->dims == Shape{2});
  CHECK(program.find_parameter("b")->data.length == 48);
}

TEST_CASE("a parameter file of another model") {
  const Error swapped = open_error(kB + kA);
  CHECK(swapped.code() == E_PARAM_MISMATCH);
  CHECK(swapped.message() == "parameter 'a' is float32[2] in the program, but float32[3, 4] in the file");
  CHECK(swapped.hint().find("holds 2 tensors, the program needs 2") != std::string::npos);

  const Error more = open_error(kA + kB + kA);
  CHECK(more.code() == E_PARAM_MISMATCH);
  CHECK(more.message() == "32 bytes are left after the last of 2 parameters");
  CHECK(more.hint().find("holds 3 tensors, the program needs 2; save without combine_params") != std::string::npos);

  const Error fewer = open_error(kA);
  CHECK(fewer.message() == "the file ends after 1 tensor of 2, before parameter 'b'");
  CHECK(open_error("").message() == "the file ends after 0 tensors of 2, before parameter 'a'");
  CHECK(open_error("\x80\x02}q.").message() == "a pickle (paddle.save), expected a parameter file");
  CHECK(open_error(kA + kB.substr(0, 40)).code() == E_TRUNCATED);
}

TEST_CASE("stored element types and dims of 1 win over declared ones") {
  const Program program = open_with(tensor_bytes(2, {2}, 8) + tensor_bytes(kFloat32, {3, 1, 4}, 48));
  CHECK(program.find_parameter("a")->dtype == Dtype::int32);
  CHECK(program.find_parameter("b")->dims == Shape{3, 1, 4});
  REQUIRE(program.warnings.size() == 1);
  CHECK(program.warnings.front() ==
        "the program declares 2 parameters with another type than stored (parameter 'a' is int32[2], "
        "declared as float32[2]); the stored type is used");
  CHECK(open_with(kA + kB).warnings.empty());
}

TEST_CASE("a 0-D tensor may be declared as [1], and -1 as anything") {
  test::ProgramBuilder builder;
  builder.var("x");
  builder.var("a", {1}, true);
  builder.var("b", {-1, 4}, true);
  builder.feed("x");
  builder.fetch("x");
  const TemporaryFolder scratch;
  scratch.write("m.pdiparams", tensor_bytes(kFloat32, {}, 4) + kB);
  const Program program = open_model(scratch.write("m.pdmodel", builder.bytes()));
  CHECK(program.find_parameter("a")->dims.empty());
  CHECK(program.find_parameter("b")->dims == Shape{3, 4});
  CHECK(program.warnings.empty());
}

TEST_CASE("dims of 1 are no reason to refuse a file, but a reason to warn") {
  const Program program = open_with(tensor_bytes(kFloat32, {1, 2}, 8) + kB);
  CHECK(program.find_parameter("a")->dims == Shape{1, 2});
  REQUIRE(program.warnings.size() == 1);
  CHECK(program.warnings.front().find("parameter 'a' is float32[1, 2], declared as float32[2]") != std::string::npos);
}

TEST_CASE("files of other kinds") {
  test::ProgramBuilder other;
  other.var("x");
  const std::string general = "pass the .pdiparams or __params__ file of the model";
  const struct {
    std::string bytes, kind, hint;
  } kinds[] = {
      {other.bytes(), "a Paddle program", general},
      {"\n\x03junk", "a protobuf message", general},
      {R"({"base_code":{"magic":"pir"}})", "a Paddle 3 program (PIR JSON)", general},
      {"{}", "a JSON file, but not a Paddle program", general},
      {"\x08\x07\x12\x05", "an ONNX model already", general},
      {"PK\x03\x04", "a zip archive", general},
      {"\x1f\x8b\x08", "a gzip archive", general},
      {"<html>", "a web page", general},
      {"version https://git-lfs.github.com/spec/v1", "a Git LFS pointer, not the file itself",
       "fetch the file with 'git lfs pull'"},
  };
  for (const auto& [bytes, kind, hint] : kinds) {
    const Error error = open_error(bytes);
    CHECK(error.code() == E_BAD_PARAMS);
    CHECK(error.message() == kind + ", expected a parameter file");
    CHECK(error.hint() == hint);
    CHECK(error.place().ends_with("m.pdiparams"));
  }
}

TEST_CASE("the hint of a mismatch counts the tensors, if it can") {
  const std::string c = tensor_bytes(kFloat32, {5}, 20);
  CHECK(open_error(c).hint().ends_with("holds 1 tensor, the program needs 2; pass the file of this program"));
  CHECK(open_error(c + c + "junk").hint() == "pass the parameter file of this program");
}

TEST_CASE("a large parameter before others") {
  constexpr std::int64_t kCount = 3 << 19;  // 6 MiB
  test::ProgramBuilder builder;
  builder.var("x");
  builder.var("a", {kCount}, true);
  builder.var("b", {3, 4}, true);
  builder.feed("x");
  builder.fetch("x");
  std::string last = kB;
  last.back() = '\x40';
  const TemporaryFolder scratch;
  scratch.write("m.pdiparams", tensor_bytes(kFloat32, {kCount}, kCount * 4) + last);
  const Program program = open_model(scratch.write("m.pdmodel", builder.bytes()));
  CHECK(program.find_parameter("a")->data.length == kCount * 4);
  CHECK(program.find_parameter("b")->data.bytes().back() == 0x40);
}

TEST_CASE("a parameter that is a link out of the folder") {
  test::ProgramBuilder builder;
  builder.var("x");
  builder.var("w", {2}, true);
  builder.feed("x");
  builder.fetch("x");
  const TemporaryFolder scratch;
  const std::string outside = scratch.write("secret", kA);
  scratch.write("m/__model__", builder.bytes());
  std::filesystem::create_symlink(outside, scratch.path("m/w"));
  const Error error = error_of([&] { open_model(scratch.path("m")); });
  CHECK(error.code() == E_BAD_PROGRAM);
  CHECK(error.message() == "parameter 'w' is a link to a file outside of the model's folder");
  CHECK(error.place() == scratch.path("m/w"));
}

TEST_CASE("a file of one parameter holds nothing else") {
  test::ProgramBuilder builder;
  builder.var("x");
  builder.var("enc/w", {2}, true);
  builder.feed("x");
  builder.fetch("x");
  const TemporaryFolder scratch;
  scratch.write("__model__", builder.bytes());
  scratch.write("enc/w", kA);
  CHECK(open_model(scratch.path()).find_parameter("enc/w")->data.length == 8);
  scratch.write("enc/w", kA + kA);
  CHECK(error_of([&] { open_model(scratch.path()); }).code() == E_PARAM_MISMATCH);
  scratch.write("enc/w", tensor_bytes(kFloat32, {3}, 12));
  CHECK(error_of([&] { open_model(scratch.path()); }).code() == E_PARAM_MISMATCH);
}

TEST_CASE("a tensor without a type has no element type") {
  const std::string bytes = tensor_bytes(kFloat32, {2}, 8);
  CHECK(tensor_error(bytes.substr(0, 16) + std::string("\x02\0\0\0\x10\x02", 6)).message() ==
        "parameter 'w' has the unknown element type (none)");
}

TEST_CASE("a parameter whose type is not declared has that of the file") {
  test::ProgramBuilder builder;
  builder.var("x");
  builder.var("w", {}, true).mutable_type()->mutable_lod_tensor()->clear_tensor();
  builder.feed("x");
  builder.fetch("x");
  const TemporaryFolder scratch;
  scratch.write("m.pdiparams", kB);
  const Program program = open_model(scratch.write("m.pdmodel", builder.bytes()));
  CHECK(program.find_parameter("w")->dims == Shape{3, 4});
  CHECK(program.warnings.empty());
}

TEST_CASE("persistable variables that are no tensors") {
  test::ProgramBuilder builder;
  for (const auto& [name, type] : {std::pair{"feed", framework::FEED_MINIBATCH},
                                   {"fetch", framework::FETCH_LIST},
                                   {"scopes", framework::STEP_SCOPES}}) {
    builder.var(name, {}, true).mutable_type()->set_type(type);
  }
  builder.var("reader", {}, true).mutable_type()->set_type(15);
  builder.var("x");
  builder.feed("x");
  builder.fetch("x");
  CHECK(expected_parameters(builder.read()).empty());
  builder.var("words", {}, true).mutable_type()->set_type(framework::VOCAB);
  CHECK(error_of([&] { expected_parameters(builder.read()); }).code() == E_UNSUPPORTED);
}

}  // namespace
}  // namespace fluid2onnx
