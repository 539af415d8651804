#include "tests/generator/support.h"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include <doctest/doctest.h>

#include "generator/check/onnx_examples.h"
#include "generator/diagnostics/source.h"

namespace opgen::test {
namespace fs = std::filesystem;

fs::path repository(const std::string& path) { return fs::path(OPGEN_SOURCE_DIR) / path; }

std::string read_all(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

std::vector<fs::path> files(const std::string& folder, const std::string& extension) {
  std::vector<fs::path> list;
  for (const auto& entry : fs::directory_iterator(repository(folder)))
    if (entry.path().extension() == extension) list.push_back(entry.path());
  std::sort(list.begin(), list.end());
  return list;
}

const Facts& facts() {
  static const Facts table = [] {
    Diagnostics diagnostics;
    Facts read = read_facts(repository("opspecs/facts").string(), diagnostics);
    CHECK_MESSAGE(!diagnostics.has_errors(), format_text(diagnostics));
    return read;
  }();
  return table;
}

const OnnxModel& onnx() {
  static const OnnxModel model = [] {
    Diagnostics diagnostics;
    return OnnxModel::load(repository("opspecs/facts").string(), diagnostics);
  }();
  return model;
}

bool matches(const fs::path& expected, const std::string& found) {
  if (std::getenv("OPGEN_UPDATE") != nullptr) {
    std::ofstream(expected, std::ios::binary) << found;
    return true;
  }
  return read_all(expected) == found;
}

Source source(const std::string& text, const std::string& path) {
  return std::make_shared<const SourceFile>(path, text);
}

std::string covered(const Span& span) {
  if (!span.file) return "";
  return std::string(
      line_of(*span.file, span.line).substr(static_cast<size_t>(span.column - 1), static_cast<size_t>(span.length)));
}

SpecSet specs_of(const std::string& text) {
  Diagnostics diagnostics;
  SpecSet specs;
  read_spec_file(source(text), specs, diagnostics);
  CHECK_MESSAGE(!diagnostics.has_errors(), format_text(diagnostics));
  return specs;
}

std::string errors_of(const std::string& text) {
  Diagnostics diagnostics;
  SpecSet specs;
  read_spec_file(source(text), specs, diagnostics);
  diagnostics.sort();
  return format_text(diagnostics);
}

std::unique_ptr<Checked> check_file(const fs::path& path) {
  auto checked = std::make_unique<Checked>();
  checked->specs = read_specs(path.string(), path.parent_path().string(), checked->diagnostics);
  check_onnx_examples(checked->specs, onnx(), facts(), checked->diagnostics);
  checked->program = check(checked->specs, facts(), onnx(), checked->diagnostics);
  checked->diagnostics.sort();
  return checked;
}

}  // namespace opgen::test
