// Every check/bad-*.yaml must give exactly the messages of the .txt beside it.
#include <regex>
#include <set>

#include <doctest/doctest.h>

#include "support.h"

namespace opgen::test {

TEST_CASE("bad recipes give the expected messages") {
  const auto specs = files("tests/language/check", ".yaml");
  CHECK(specs.size() > 10);
  for (const auto& spec : specs) {
    CAPTURE(spec.filename().string());
    const auto checked = check_file(spec);
    const std::string found = format_text(checked->diagnostics);
    CHECK(checked->diagnostics.has_errors());
    CHECK_MESSAGE(matches(std::filesystem::path(spec).replace_extension(".txt"), found), found);
  }
}

TEST_CASE("every code of the checker has a bad spec") {
  const std::regex call(R"rx((?:fail|error)\("([a-z-]+)")rx");
  std::set<std::string> codes;
  for (const char* folder : {"generator/check", "generator/expr"})
    for (const auto& file : files(folder, ".cc")) {
      const std::string text = read_all(file);
      for (std::sregex_iterator it(text.begin(), text.end(), call), end; it != end; ++it) codes.insert((*it)[1]);
    }
  // Of the table of ONNX facts, which ships with opgen.
  codes.erase("bad-fact");
  codes.erase("missing-file");
  codes.erase("unknown-key");
  std::string shown;
  for (const auto& file : files("tests/language/check", ".txt")) shown += read_all(file);
  for (const std::string& code : codes)
    CHECK_MESSAGE(shown.find("[" + code + "]\n") != std::string::npos, "no check/bad-* shows " << code);
}

}  // namespace opgen::test
