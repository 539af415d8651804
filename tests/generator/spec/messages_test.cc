// Every message must occur in a test, so that a reviewer has read it.
#include <filesystem>
#include <regex>
#include <set>

#include <doctest/doctest.h>

#include "tests/generator/support.h"

namespace opgen::test {
namespace {

namespace fs = std::filesystem;

template <typename Visit>
void each_file(const std::string& folder, const std::string& extension, const Visit& visit) {
  for (const auto& entry : fs::recursive_directory_iterator(repository(folder)))
    if (entry.path().extension() == extension) visit(read_all(entry.path()));
}

std::set<std::string> all_matches(const std::string& text, const char* pattern) {
  const std::regex regex(pattern);
  std::set<std::string> found;
  for (std::sregex_iterator it(text.begin(), text.end(), regex), end; it != end; ++it) found.insert((*it)[1]);
  return found;
}

}  // namespace

TEST_CASE("every diagnostic and its message has a test") {
  std::set<std::string> codes, messages;
  const std::regex continued(R"("\s*\n\s*")");
  for (const char* folder : {"generator/diagnostics", "generator/spec"})
    each_file(folder, ".cc", [&](const std::string& file) {
      const std::string text = std::regex_replace(file, continued, "");
      codes.merge(all_matches(text, R"rx((?:error|warning)\(\s*"([a-z0-9-]+)")rx"));
      codes.merge(all_matches(text, R"rx("(yaml-[a-z]+)")rx"));
      messages.merge(all_matches(text, R"rx((?:error|warning)\(\s*"[a-z0-9-]+",[^;"]*"((?:[^"\\]|\\.)*)")rx"));
      messages.merge(all_matches(text, R"rx((?:wrong_type|fail)\([^;"]*"((?:[^"\\]|\\.)*)")rx"));
    });
  CHECK(codes.size() > 30);
  CHECK(messages.size() > 80);

  std::string tested;
  for (const char* folder : {"tests/generator/diagnostics", "tests/generator/spec"})
    for (const char* extension : {".txt", ".cc"})
      each_file(folder, extension, [&](const std::string& text) { tested += text; });
  for (const std::string& code : codes)
    CHECK_MESSAGE(tested.find("[" + code + "]") != std::string::npos, "no spec/bad/bad-* for " << code);
  for (const std::string& message : messages) {
    const std::string plain = std::regex_replace(message, std::regex(R"(\\(.))"), "$1");
    CHECK_MESSAGE(tested.find(plain) != std::string::npos, "no spec/bad/bad-* for '" << plain << "'");
  }
}

}  // namespace opgen::test
