// Every check/bad-*.yaml must give exactly the messages of the .txt beside it. OPGEN_UPDATE=1 rewrites them.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <doctest/doctest.h>

#include "generator/spec/example.h"
#include "support.h"

namespace opgen::test {
namespace {

namespace fs = std::filesystem;

std::string messages(const fs::path& spec) {
  Diagnostics diagnostics;
  const SpecSet specs = read_specs(spec.string(), spec.parent_path().string(), diagnostics);
  check_examples(specs, facts(), diagnostics);
  diagnostics.sort();
  return format_text(diagnostics);
}

}  // namespace

TEST_CASE("bad specs give the expected messages") {
  const bool update = std::getenv("OPGEN_UPDATE") != nullptr;
  std::vector<fs::path> specs;
  for (const auto& entry : fs::directory_iterator(repository("tests/opgen/check")))
    if (entry.path().extension() == ".yaml" && entry.path().filename().string().rfind("bad-", 0) == 0)
      specs.push_back(entry.path());
  std::sort(specs.begin(), specs.end());
  CHECK(specs.size() > 50);
  for (const fs::path& spec : specs) {
    CAPTURE(spec.filename().string());
    const fs::path expected = fs::path(spec).replace_extension(".txt");
    const std::string found = messages(spec);
    CHECK(found.find(": error: ") != std::string::npos);
    if (update) {
      std::ofstream(expected, std::ios::binary) << found;
    } else {
      CHECK(found == read_all(expected.string()));
    }
  }
}

}  // namespace opgen::test
