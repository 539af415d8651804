#include <sys/stat.h>

#include <filesystem>
#include <new>
#include <stdexcept>

#include "runtime/support/dtype.h"
#include "runtime/support/mapped_file.h"
#include "runtime/support/text.h"
#include "tests/runtime/paddle/read/sample_programs.h"

namespace fluid2onnx {
namespace {

using test::error_of;
using test::TemporaryFolder;

TEST_CASE("an error renders place, message, code and hint") {
  const Error bare(E_IO, "it broke");
  CHECK(std::string(bare.what()) == "it broke [E_IO]");
  Error full(E_IO, "it broke");
  full.at("file: byte 3").hint("mend it");
  CHECK(std::string(full.what()) == "file: byte 3: it broke [E_IO]\n  hint: mend it");
  CHECK(full.code() == E_IO);
}

TEST_CASE("errors of other libraries") {
  const std::filesystem::filesystem_error unreadable("status", "m.onnx", std::make_error_code(std::errc::io_error));
  CHECK(fluid2onnx::error_of(unreadable).code() == E_IO);
  CHECK(fluid2onnx::error_of(unreadable).message() == "cannot access 'm.onnx': Input/output error");
  CHECK(fluid2onnx::error_of(std::bad_alloc()).code() == E_MEMORY);
  CHECK(fluid2onnx::error_of(std::runtime_error("a bug")).code() == E_INTERNAL);
}

TEST_CASE("the table of error codes") {
  for (const ErrorCodeInfo& row : kErrorCodes) {
    CAPTURE(row.name);
    CHECK(&code_info(row.code) == &row);
    CHECK(row.name.substr(0, 2) == "E_");
    CHECK(row.exit != ExitCode::done);
    CHECK_FALSE(row.sentence.empty());
    CHECK(row.sentence.back() != '.');
  }
  CHECK(NamedErrorCode("E_TRAINING").code == E_TRAINING);
  CHECK(code_info(E_USAGE).exit == ExitCode::usage);
}

TEST_CASE("dtypes convert between ONNX numbers, Paddle numbers and names") {
  for (int onnx = 1; onnx <= 19; ++onnx) {
    const auto dtype = static_cast<Dtype>(onnx);
    if (onnx == 18) {  // FLOAT8E4M3FNUZ: Paddle has no such type
      CHECK(dtype_name(dtype) == "undefined");
      continue;
    }
    CHECK(dtype_from_paddle(dtype_to_paddle(dtype)) == dtype);
    CHECK(dtype_from_name(dtype_name(dtype)) == dtype);
    CHECK((dtype_size(dtype) == 0) == (dtype == Dtype::string));
  }
  CHECK(dtype_from_paddle(5) == Dtype::float32);
  CHECK(dtype_from_paddle(22) == Dtype::bfloat16);
  CHECK(dtype_from_paddle(19) == Dtype::uint64);
  CHECK(dtype_from_paddle(-1) == Dtype::undefined);
  CHECK(dtype_from_paddle(7) == Dtype::undefined);
  CHECK(dtype_from_name("float8_e4m3fn") == Dtype::float8e4m3fn);
  CHECK_FALSE(dtype_from_name("undefined"));
  CHECK(dtype_to_paddle(Dtype::undefined) == -1);
  CHECK(is_floating(Dtype::bfloat16));
  CHECK_FALSE(is_floating(Dtype::complex64));
  CHECK(is_integer(Dtype::uint16));
  CHECK_FALSE(is_integer(Dtype::bool_));
}

TEST_CASE("a mapped file shows its bytes") {
  const TemporaryFolder scratch;
  const auto file = MappedFile::open(scratch.write("f", "abc"));
  CHECK(file->size() == 3);
  CHECK(file->bytes()[0] == 'a');
  CHECK(file->bytes(1, 2)[1] == 'c');
  CHECK(MappedFile::open(scratch.write("empty", ""))->size() == 0);
}

TEST_CASE("only regular files are mapped") {
  const TemporaryFolder scratch;
  CHECK(error_of([&] { MappedFile::open(scratch.path("none")); }).code() == E_NOT_FOUND);
  CHECK(error_of([&] { MappedFile::open(scratch.path()); }).code() == E_NOT_A_FILE);
  const std::string pipe = scratch.path("pipe");
  REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
  CHECK(error_of([&] { MappedFile::open(pipe); }).code() == E_NOT_A_FILE);
  CHECK(error_of([&] { MappedFile::open("/dev/null"); }).code() == E_NOT_A_FILE);
}

TEST_CASE("names are words of a shell") {
  CHECK(shell_word("conv_0.tmp_0,x@GRAD") == "conv_0.tmp_0,x@GRAD");
  CHECK(shell_word("a b;$(id)") == "'a b;$(id)'");
  CHECK(shell_word("it's") == "'it'\\''s'");
  CHECK(shell_word("\x1b[31m") == "'?[31m'");
  CHECK(shell_word("") == "''");
}

TEST_CASE("near words are suggested") {
  CHECK(edit_distance("", "abc") == 3);
  CHECK(edit_distance("relu", "relu") == 0);
  CHECK(edit_distance("rleu", "relu") == 1);
  const std::vector<std::string> words{"conv2d", "pool2d", "relu"};
  CHECK(closest("convd2", words) == "conv2d");
  CHECK(closest("softmax", words).empty());
  CHECK(did_you_mean("rellu", words) == "; did you mean 'relu'?");
  CHECK(did_you_mean("x", words).empty());
  CHECK(count_of(1, "op") == "1 op");
  CHECK(count_of(2, "op") == "2 ops");
}

}  // namespace
}  // namespace fluid2onnx
