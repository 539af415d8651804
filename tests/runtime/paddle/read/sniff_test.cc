#include "runtime/paddle/read/sniff.h"

#include <filesystem>

#include "tests/runtime/paddle/read/sample_programs.h"

namespace fluid2onnx {
namespace {

FileKind kind(const std::string& text) {
  return sniff({reinterpret_cast<const std::uint8_t*>(text.data()), text.size()});
}

TEST_CASE("kinds of files by content") {
  CHECK(sniff_file(test::sample("jit/model.pdmodel")) == FileKind::program_desc);
  CHECK(sniff_file(test::sample("jit/model.pdiparams")) == FileKind::tensors);
  CHECK(sniff_file(test::sample("jit/model.pdiparams.info")) == FileKind::pickle);
  CHECK(sniff_file(test::sample("model_separate/fc_1.b_0")) == FileKind::tensors);
  CHECK(sniff_file(test::sample("param_dtypes/model.pdiparams")) == FileKind::tensors);
  CHECK(sniff_file(test::sample("jit/io.npz")) == FileKind::zip);
  CHECK(sniff_file(test::sample("none")) == FileKind::unknown);
  CHECK(sniff_file(test::sample("jit")) == FileKind::unknown);
  CHECK(kind("") == FileKind::empty);
  CHECK(kind(R"({"base_code":{"magic":"pir","trainable":true)") == FileKind::pir_json);
  CHECK(kind("{\n  \"base_code\": {\n    \"magic\": \"pir\"") == FileKind::pir_json);
  CHECK(kind("{}") == FileKind::json);
  CHECK(kind("{") == FileKind::json);
  CHECK(kind(std::string("\x08\x07\x12\x05", 4)) == FileKind::onnx);
  CHECK(kind("\n\x03junk") == FileKind::maybe_program);
  CHECK(kind("version https://git-lfs.github.com/spec/v1") == FileKind::git_lfs_pointer);
  CHECK(kind("<!DOCTYPE html>") == FileKind::html);
  CHECK(kind("\x1f\x8b\x08") == FileKind::gzip);
  CHECK(kind(std::string(257, 'x') + "ustar") == FileKind::tar);
  CHECK(kind("hello") == FileKind::unknown);
  CHECK(kind(std::string(30, '\0')) == FileKind::unknown);
}

TEST_CASE("starts that are nearly those of a kind") {
  // A tensor without LoD levels: three zeros, then a descriptor whose first field is its dtype.
  const auto stream = [](std::size_t at, char byte) {
    std::string bytes = test::tensor_bytes(5, {2}, 8);
    bytes[at] = byte;
    return kind(bytes);
  };
  CHECK(stream(4, 0) == FileKind::tensors);
  CHECK(stream(4, 7) == FileKind::tensors);  // seven LoD levels
  CHECK(stream(21, 3) == FileKind::tensors);
  for (const auto& [at, byte] :
       {std::pair<std::size_t, char>{3, 1}, {4, 8}, {5, 1}, {12, 1}, {18, 1}, {19, 1}, {20, 0x10}, {21, 7}}) {
    CAPTURE(at);
    CHECK(stream(at, byte) == FileKind::unknown);
  }
  std::string levels = test::tensor_bytes(5, {2}, 8);
  levels[4] = 1;
  levels[11] = 1;
  CHECK(kind(levels) == FileKind::unknown);

  CHECK(kind("\n" + std::string(20, '\x80')) == FileKind::maybe_program);
  CHECK(kind("\n") == FileKind::maybe_program);
  for (const char* text : {"\x80\x01.", "\x80\x06.", "\x80\x02"}) CHECK(kind(text) == FileKind::unknown);
  CHECK(kind(std::string("\x08\x00\x12\x05", 4)) == FileKind::unknown);
  CHECK(kind("\x08\x65\x12\x05") == FileKind::unknown);
  CHECK(kind("\x08\x07\x0a\x05") == FileKind::unknown);
  CHECK(kind("\x08\x07") == FileKind::unknown);
  for (const char* text : {R"({"base_code":{"magic":"other"}})", R"({"base_code":{"pir":1}})", "{   "}) {
    CHECK(kind(text) == FileKind::json);
  }
  for (const char* page : {"<!doctype html>", "<html>", "<HTML>", "\r\n <html>"}) CHECK(kind(page) == FileKind::html);
  for (const char* text : {"  \n", "<body>"}) CHECK(kind(text) == FileKind::unknown);
}

TEST_CASE("a file that cannot be read has no kind") {
  const std::string memory = "/proc/self/mem";  // its first page is not mapped
  if (std::filesystem::exists(memory)) CHECK(sniff_file(memory) == FileKind::unknown);
}

TEST_CASE("descriptions and advice") {
  const struct {
    FileKind kind;
    std::string text, advice;  // what it contains
  } kinds[] = {
      {FileKind::program_desc, "a Paddle program", ""},
      {FileKind::maybe_program, "a protobuf message", "X.pdmodel, X.json or __model__"},
      {FileKind::pir_json, "a Paddle 3 program", ""},
      {FileKind::json, "but not a Paddle program", "base_code"},
      {FileKind::tensors, "weights but no network", "the program of these parameters"},
      {FileKind::pickle, "a pickle", "paddle.jit.save"},
      {FileKind::onnx, "an ONNX model", ""},
      {FileKind::zip, "a zip archive", "unpack"},
      {FileKind::gzip, "a gzip archive", "unpack"},
      {FileKind::tar, "a tar archive", "unpack"},
      {FileKind::git_lfs_pointer, "a Git LFS pointer", "git lfs pull"},
      {FileKind::html, "a web page", "the raw file"},
      {FileKind::empty, "empty", "again"},
      {FileKind::unknown, "not a file that Paddle writes", "X.pdmodel, X.json or __model__"},
  };
  for (const auto& [kind, text, wanted] : kinds) {
    CAPTURE(text);
    CHECK(std::string(describe(kind)).find(text) != std::string::npos);
    CHECK(std::string(advice(kind)).empty() == wanted.empty());
    CHECK(std::string(advice(kind)).find(wanted) != std::string::npos);
  }
}

TEST_CASE("every start of a file has a kind") {
  const std::string text = test::read_file(test::sample("jit/model.pdmodel"));
  for (std::size_t n = 0; n < 64; ++n) CHECK(describe(kind(text.substr(0, n))) != nullptr);
}

}  // namespace
}  // namespace fluid2onnx
