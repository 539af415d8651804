// What the tests of the language share.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "generator/check/program.h"

namespace opgen::test {

std::filesystem::path repository(const std::string& path);
std::string read_all(const std::filesystem::path& path);
/// Sorted files with an extension.
std::vector<std::filesystem::path> files(const std::string& folder, const std::string& extension);
const Facts& facts();
const OnnxModel& onnx();
/// Compares with a file, or writes it when OPGEN_UPDATE is set.
bool matches(const std::filesystem::path& expected, const std::string& found);

/// Specs and what check makes of them; the specs must outlive the program.
struct Checked {
  SpecSet specs;
  Diagnostics diagnostics;
  CheckedProgram program;
};
/// Reads one spec file (and the library, if wanted) and checks it.
std::unique_ptr<Checked> check_file(const std::filesystem::path& path);

}  // namespace opgen::test
