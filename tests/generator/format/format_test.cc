// Every cases/*.yaml must become exactly the .formatted beside it.
#include <doctest/doctest.h>

#include "generator/diagnostics/source.h"
#include "generator/format/format.h"
#include "generator/format/line_breaks.h"
#include "generator/format/quotes.h"
#include "tests/generator/support.h"

namespace opgen::test {
namespace {

std::string formatted(const std::string& text) {
  Diagnostics diagnostics;
  const auto source = std::make_shared<const SourceFile>("test.yaml", text);
  const std::optional<std::string> result = format_spec(source, diagnostics);
  REQUIRE_MESSAGE(result.has_value(), format_text(diagnostics));
  return *result;
}

}  // namespace

TEST_CASE("specs become their canonical form, which stays as it is") {
  for (const auto& spec : files("tests/generator/format/cases", ".yaml")) {
    CAPTURE(spec.filename().string());
    const std::string found = formatted(read_all(spec));
    CHECK_MESSAGE(matches(std::filesystem::path(spec).replace_extension(".formatted"), found), found);
    CHECK(formatted(found) == found);
  }
}

TEST_CASE("quotes stand where YAML needs them") {
  CHECK(quoted_if_needed("Out = Relu(X)", false) == "Out = Relu(X)");
  CHECK(quoted_if_needed("Out = Add(X, Y)", false) == "Out = Add(X, Y)");
  CHECK(quoted_if_needed("Out = Add(X, Y)", true) == "\"Out = Add(X, Y)\"");
  CHECK(quoted_if_needed("[1]", false) == "\"[1]\"");
  CHECK(quoted_if_needed("\"a\" == b", false) == "'\"a\" == b'");
  CHECK(quoted_if_needed("a: b", false) == "\"a: b\"");
  CHECK(quoted_if_needed("a:", false) == "\"a:\"");
  CHECK(quoted_if_needed("a #b", false) == "\"a #b\"");
  CHECK(quoted_if_needed("null", false) == "\"null\"");
  CHECK(quoted_if_needed("- x", false) == "\"- x\"");
  CHECK(quoted_if_needed("-x", false) == "-x");
  CHECK(quoted_if_needed("it's", false) == "it's");
  CHECK(quoted_if_needed("'it' is \"it\"", false) == "\"'it' is \\\"it\\\"\"");
}

TEST_CASE("long lines are broken where they hold the least together") {
  CHECK(break_lines("x = f(aaaa, bbbb)", 0, 2, 40) == "x = f(aaaa, bbbb)");
  CHECK(break_lines("x = f(aaaa, g(bbbb, cccc))", 0, 4, 20) == "x = f(aaaa,\n    g(bbbb, cccc))");
  CHECK(break_lines("x = aaaaaaaa if bbbbbbb else cccc", 0, 4, 26) == "x = aaaaaaaa if bbbbbbb\n    else cccc");
  CHECK(break_lines("x = f(\"a b c d e f g h i j k l\", y)", 0, 4, 20) == "x = f(\"a b c d e f g\n    h i j k l\", y)");
  CHECK(width_of("\xC3\xA4") == 1);
}

}  // namespace opgen::test
