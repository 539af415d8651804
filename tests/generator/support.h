// What the tests of opgen share.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "generator/check/program.h"

namespace opgen::test {

/// A path below the repository's root.
std::filesystem::path repository(const std::string& path);
std::string read_all(const std::filesystem::path& path);
/// Sorted files with an extension.
std::vector<std::filesystem::path> files(const std::string& folder, const std::string& extension);
/// Compares with a file, or writes it when OPGEN_UPDATE is set.
bool matches(const std::filesystem::path& expected, const std::string& found);

/// The committed tables and ONNX's schemas; read once.
const Facts& facts();
const OnnxModel& onnx();

Source source(const std::string& text, const std::string& path = "test.yaml");
/// The bytes of the source line that a span covers.
std::string covered(const Span& span);
/// Reads text as a spec file; with errors, the test fails and prints them.
SpecSet specs_of(const std::string& text);
/// The diagnostics of a text, formatted.
std::string errors_of(const std::string& text);

/// Specs and what check makes of them; the specs must outlive the program.
struct Checked {
  SpecSet specs;
  Diagnostics diagnostics;
  CheckedProgram program;
};
/// Reads one spec file (and the library, if wanted) and checks it.
std::unique_ptr<Checked> check_file(const std::filesystem::path& path);

}  // namespace opgen::test
