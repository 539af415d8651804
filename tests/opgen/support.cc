#include "support.h"

#include <fstream>
#include <iterator>

#include <doctest/doctest.h>

#include "generator/diagnostics/source.h"

namespace opgen::test {

std::string repository(const std::string& path) { return std::string(OPGEN_SOURCE_DIR) + "/" + path; }

std::string read_all(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

Source source(const std::string& text, const std::string& path) {
  return std::make_shared<const SourceFile>(path, text);
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

const Facts& facts() {
  static const Facts table = [] {
    Diagnostics diagnostics;
    Facts read = read_facts(repository("opspecs/facts"), diagnostics);
    CHECK_MESSAGE(!diagnostics.has_errors(), format_text(diagnostics));
    return read;
  }();
  return table;
}

std::string covered(const Span& span) {
  if (!span.file) return "";
  return std::string(
      line_of(*span.file, span.line).substr(static_cast<size_t>(span.column - 1), static_cast<size_t>(span.length)));
}

}  // namespace opgen::test
