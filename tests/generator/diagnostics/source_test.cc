#include <cstdio>
#include <filesystem>
#include <fstream>

#include <doctest/doctest.h>

#include "generator/diagnostics/source.h"
#include "tests/generator/support.h"

namespace opgen::test {
namespace {

/// A file that exists while the test runs.
class TemporaryFile {
 public:
  explicit TemporaryFile(const std::string& text)
      : path_((std::filesystem::temp_directory_path() / ("opgen_source_test_" + std::to_string(counter_++))).string()) {
    std::ofstream(path_, std::ios::binary) << text;
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  ~TemporaryFile() { std::remove(path_.c_str()); }
  const std::string& path() const { return path_; }

 private:
  static inline int counter_ = 0;
  std::string path_;
};

std::string load_error(const std::string& text) {
  const TemporaryFile file(text);
  Diagnostics diagnostics;
  CHECK(load_source(file.path(), "f.yaml", diagnostics) == nullptr);
  return format_text(diagnostics);
}

}  // namespace

TEST_CASE("line ends and a byte order mark do not move columns") {
  const TemporaryFile file("\xEF\xBB\xBFop: a\r\ndoc: b\r\n");
  Diagnostics diagnostics;
  const Source read = load_source(file.path(), "f.yaml", diagnostics);
  REQUIRE(read);
  CHECK(read->text == "op: a\ndoc: b\n");
  CHECK(read->path == "f.yaml");
}

TEST_CASE("what is not UTF-8 text is refused") {
  for (const char* bytes : {"\xFF", "\xC0\xAF", "\xE0\x80\x80", "\xED\xA0\x80", "\xF5\x80\x80\x80", "\xF0\x80\x80\x80",
                            "\xF4\x90\x80\x80", "\xC3", "\x80"}) {
    CAPTURE(bytes);
    CHECK(load_error(std::string("a: ") + bytes).find("[not-utf8]") != std::string::npos);
  }
  CHECK(load_error("a\rb").find("[control-character]") != std::string::npos);
  CHECK(load_error(std::string("a\0b", 3)).find("[control-character]") != std::string::npos);
}

TEST_CASE("valid UTF-8 of every length is read") {
  const TemporaryFile file("a ä € 😀\t\n");
  Diagnostics diagnostics;
  CHECK(load_source(file.path(), "f.yaml", diagnostics) != nullptr);
}

TEST_CASE("a missing file is diagnosed") {
  Diagnostics diagnostics;
  CHECK(load_source("/nonexistent/f.yaml", "f.yaml", diagnostics) == nullptr);
  CHECK(format_text(diagnostics) == "f.yaml: error: cannot read 'f.yaml' [unreadable-file]\n");
  Diagnostics of_folder;
  CHECK(read_specs("/nonexistent/specs", "/", of_folder).ops.empty());
  CHECK(format_text(of_folder) == "/nonexistent/specs: error: no such file or folder [unreadable-file]\n");
}

TEST_CASE("spans and offsets are inverse") {
  const Source file = source("ab\n\ncde");
  for (size_t offset = 0; offset <= file->text.size(); ++offset) CHECK(offset_of(span_of(file, offset, 1)) == offset);
  CHECK(span_of(file, 4, 99).length == 3);
  CHECK(span_of(file, 0, 0).length == 1);
  CHECK(line_of(*file, 3) == "cde");
  CHECK(line_of(*file, 2).empty());
  CHECK(line_of(*file, 9).empty());
  CHECK(line_of(*file, 0).empty());
}

}  // namespace opgen::test
