#include <doctest/doctest.h>

#include "tests/generator/support.h"

namespace opgen::test {
namespace {

/// The source characters that the word `word` of the let-value `n` comes from.
std::string source_of(const std::string& yaml, const std::string& word) {
  const SpecSet specs = specs_of("function: \"f() -> Y: tensor\"\ndoc: Fine\nis: x\nlet:\n  n: " + yaml);
  REQUIRE(specs.functions.size() == 1);
  REQUIRE(specs.functions[0].let.size() == 1);
  const Text& value = specs.functions[0].let[0].value;
  const size_t at = value.text.find(word);
  REQUIRE(at != std::string::npos);
  return covered(span_at(value, at, word.size()));
}

}  // namespace

TEST_CASE("the words of an expression are found in its source") {
  CHECK(source_of("a + b\n", "b") == "b");
  CHECK(source_of("\"a + b\"\n", "b") == "b");
  CHECK(source_of("'a == \"b\" + c'\n", "c") == "c");
  CHECK(source_of("\"a == \\\"b\\\" + cd\"\n", "cd") == "cd");
  CHECK(source_of("'f(''x'') + cd'\n", "cd") == "cd");
  CHECK(source_of("'f('''') + cd'\n", "cd") == "cd");
  CHECK(source_of("|\n    [i for i in\n       range(n)]\n", "range") == "range");
  CHECK(source_of("|\n\n    first\n\n    last\n", "last") == "last");
  CHECK(source_of(">\n    first\n    last\n", "last") == "last");
  CHECK(source_of("first\n     last\n", "last") == "last");
  CHECK(source_of("\"first\n     last\"\n", "last") == "last");
  CHECK(source_of("[a,  # one, two\n      # three\n     last]\n", "last") == "last");
  CHECK(source_of("[a,\n     \"#x\", last]\n", "#x") == "#x");
  CHECK(source_of("ä + last\n", "last") == "last");
}

TEST_CASE("a place beyond the text is its end") {
  const SpecSet specs = specs_of("function: \"f() -> Y: tensor\"\ndoc: Fine\nis: a + b\n");
  const Text& is = specs.functions.at(0).is;
  const Span span = span_at(is, is.text.size(), 1);
  CHECK(span.line == 3);
  CHECK(span.column == 10);
  CHECK(span_at(Text{"x", {}}, 0, 1).line == 0);
}

}  // namespace opgen::test
