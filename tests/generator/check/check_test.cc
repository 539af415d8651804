// Every bad/bad-*.yaml must give exactly the messages of the .txt beside it.
#include <regex>
#include <set>

#include <doctest/doctest.h>

#include "generator/check/library.h"
#include "generator/compile.h"
#include "tests/generator/support.h"

namespace opgen::test {

TEST_CASE("bad recipes give the expected messages") {
  const auto specs = files("tests/generator/check/bad", ".yaml");
  CHECK(specs.size() > 10);
  for (const auto& spec : specs) {
    CAPTURE(spec.filename().string());
    const auto checked = check_file(spec);
    const std::string found = format_text(checked->diagnostics);
    CHECK(checked->diagnostics.has_errors());
    CHECK_MESSAGE(matches(std::filesystem::path(spec).replace_extension(".txt"), found), found);
  }
}

TEST_CASE("unused and duplicate functions are reported") {
  const auto spec = repository("tests/generator/check/library/left-over.yaml");
  const auto checked = check_file(spec);
  check_library(checked->program, checked->diagnostics);
  CHECK(!checked->diagnostics.has_errors());
  const std::string found = format_text(checked->diagnostics);
  CHECK_MESSAGE(matches(std::filesystem::path(spec).replace_extension(".txt"), found), found);
}

TEST_CASE("functions with one call are listed, unless they choose or require") {
  const auto checked = check_file(repository("tests/generator/check/library/single-calls.yaml"));
  CHECK(!checked->diagnostics.has_errors());
  std::vector<std::string> found;
  for (const SingleCall& s : single_calls(checked->program))
    found.push_back(s.function->head.name + ":" + std::to_string(s.call.line));
  CHECK(found == std::vector<std::string>{"doubled:3", "added:28"});
}

TEST_CASE("the specs of the project have no functions left over") {
  Compiled all;
  Diagnostics diagnostics;
  compile(repository("").string(), diagnostics, &all);
  const std::string found = format_text(diagnostics);
  CHECK_MESSAGE(found.empty(), found);
}

namespace {

const std::regex kLiteral(R"rx("((?:[^"\\]|\\.)*)")rx");

std::string without_escapes(const std::string& text) { return std::regex_replace(text, std::regex(R"(\\(.))"), "$1"); }

/// The text from an opening bracket to the one that closes it; brackets in strings and characters do not count.
std::string arguments_at(const std::string& text, size_t open) {
  int depth = 0;
  for (size_t i = open; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '"' || c == '\'') {
      for (++i; i < text.size() && text[i] != c; ++i)
        if (text[i] == '\\') ++i;
    } else if (c == '(') {
      ++depth;
    } else if (c == ')' && --depth == 0) {
      return text.substr(open, i - open);
    }
  }
  return text.substr(open);
}

/// All that a source file may say: the literals in calls of fail and error, joined where C++ joins them.
void collect(const std::string& file, std::set<std::string>& codes, std::set<std::string>& texts) {
  const std::string text = std::regex_replace(file, std::regex(R"("\s*\n\s*")"), "");
  const std::regex call(R"((?:^|[^_a-z])(?:fail|error)\()");
  const std::regex code("[a-z]+(?:-[a-z]+)*");
  for (std::sregex_iterator it(text.begin(), text.end(), call), end; it != end; ++it) {
    const std::string inside = arguments_at(text, static_cast<size_t>(it->position() + it->length()) - 1);
    bool first = true;
    for (std::sregex_iterator l(inside.begin(), inside.end(), kLiteral); l != end; ++l, first = false) {
      const std::string literal = without_escapes((*l)[1]);
      if (first && std::regex_match(literal, code)) codes.insert(literal);
      else if (literal.size() > 7) texts.insert(literal);
    }
  }
  // Helps that functions choose.
  const std::regex choice(R"rx(return "((?:[^"\\]|\\.)* (?:[^"\\]|\\.)*)";)rx");
  for (std::sregex_iterator it(text.begin(), text.end(), choice), end; it != end; ++it)
    texts.insert(without_escapes((*it)[1]));
}

}  // namespace

TEST_CASE("every message of the checker, and its help, has a bad spec") {
  std::set<std::string> codes, texts;
  for (const char* folder : {"generator/check", "generator/expr"})
    for (const auto& file : files(folder, ".cc")) collect(read_all(file), codes, texts);
  CHECK(codes.size() > 20);
  CHECK(texts.size() > 150);
  std::string shown;
  for (const char* folder : {"tests/generator/check/bad", "tests/generator/check/targets"})
    for (const auto& file : files(folder, ".txt")) shown += read_all(file);
  shown += read_all(repository("tests/generator/check/onnx_model_test.cc"));  // messages of what ships with opgen
  for (const std::string& code : codes)
    CHECK_MESSAGE(shown.find("[" + code + "]\n") != std::string::npos, "no bad/bad-* shows " << code);
  for (const std::string& text : texts)
    CHECK_MESSAGE(shown.find(text) != std::string::npos, "no bad/bad-* shows '" << text << "'");
}

TEST_CASE("every habit of other languages has a bad spec") {
  const std::string tables =
      std::regex_replace(read_all(repository("generator/expr/habits.cc")), std::regex(R"("\s*\n\s*")"), "");
  const std::regex habit(R"rx(Habit\{"([^"]+)",\s*"((?:[^"\\]|\\.)*)"\})rx");
  std::string shown = read_all(repository("tests/generator/check/bad/bad-habits.txt"));
  size_t count = 0;
  for (std::sregex_iterator it(tables.begin(), tables.end(), habit), end; it != end; ++it, ++count) {
    const std::string help = without_escapes((*it)[2]);
    const std::string word = (*it)[1];
    const bool found =
        shown.find("'" + word + "'") != std::string::npos || shown.find("'." + word + "'") != std::string::npos;
    CHECK_MESSAGE(found, "no bad/bad-habits for '" << word << "'");
    CHECK_MESSAGE(shown.find(help.substr(0, help.find('$'))) != std::string::npos,
                  "no bad/bad-* shows '" << help << "'");
  }
  CHECK(count > 30);
}

}  // namespace opgen::test
