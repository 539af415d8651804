#include "runtime/paddle/read/sniff.h"

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

TEST_CASE("every start of a file has a kind") {
  const std::string text = test::read_file(test::sample("jit/model.pdmodel"));
  for (std::size_t n = 0; n < 64; ++n) CHECK(describe(kind(text.substr(0, n))) != nullptr);
}

}  // namespace
}  // namespace fluid2onnx
