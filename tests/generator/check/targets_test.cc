#include "generator/check/targets.h"

#include <doctest/doctest.h>

#include "generator/diagnostics/source.h"
#include "tests/generator/support.h"

namespace opgen::test {
namespace {

std::string target_errors(const Source& file) {
  Diagnostics diagnostics;
  std::vector<TargetFile> targets;
  read_target(file, targets, diagnostics);
  check_targets(targets, onnx(), diagnostics);
  diagnostics.sort();
  return format_text(diagnostics);
}

}  // namespace

TEST_CASE("names in target files are those of ONNX") {
  const std::string text =
      "target: tract\ntitle: tract\nversion: \"0.23\"\nsource: measured\nopsets: 7..20\nbest_opset: 17\noperators:\n"
      "  Conv: {dtypes: {T: [float32]}, ranks: {X: 3..}, constant: [W], attributes: {auto_pad: [NOTSET]}}\n"
      "  TopK: {without: [Indices]}\n";
  CHECK(target_errors(std::make_shared<const SourceFile>("tract.yaml", text)).empty());
  const std::filesystem::path bad = repository("tests/generator/check/targets/names.yaml");
  Diagnostics none;
  const std::string found = target_errors(load_source(bad.string(), bad.filename().string(), none));
  CHECK(found.find(": error: ") != std::string::npos);
  CHECK(matches(std::filesystem::path(bad).replace_extension(".txt"), found));
}

}  // namespace opgen::test
