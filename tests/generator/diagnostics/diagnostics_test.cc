#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "generator/diagnostics/source.h"
#include "tests/generator/support.h"

namespace opgen::test {

TEST_CASE("a message shows its line with carets below what it is about") {
  const Source file = source("op: relu\nsumary: Clamp to [0, t].\n", "opspecs/activation/gelu.yaml");
  Diagnostics diagnostics;
  diagnostics.error("unknown-key", span_of(file, 9, 6), "unknown key 'sumary' (did you mean 'summary'?)", "look there")
      .notes.emplace_back(span_of(file, 0, 2), "the operator");
  CHECK(format_text(diagnostics) ==
        "opspecs/activation/gelu.yaml:2:1: error: unknown key 'sumary' (did you mean 'summary'?) [unknown-key]\n"
        "  sumary: Clamp to [0, t].\n"
        "  ^^^^^^\n"
        "  help: look there\n"
        "opspecs/activation/gelu.yaml:1:1: note: the operator\n"
        "  op: relu\n"
        "  ^^\n");
}

TEST_CASE("carets stand below characters, not bytes, and tabs stay tabs") {
  const Source file = source("\tgrößer: ≥ x\n");
  Diagnostics diagnostics;
  diagnostics.error("a", span_of(file, file->text.find("größer"), std::string("größer").size()), "one");
  diagnostics.error("b", span_of(file, file->text.find("≥"), 3), "two");
  CHECK(format_text(diagnostics) ==
        "test.yaml:1:2: error: one [a]\n  \tgrößer: ≥ x\n  \t^^^^^^\n"
        "test.yaml:1:12: error: two [b]\n  \tgrößer: ≥ x\n  \t        ^\n");
}

TEST_CASE("a message without a place is only a line") {
  Diagnostics diagnostics;
  diagnostics.error("a", Span{}, "no file");
  Span span;
  span.file = source("");
  diagnostics.warning("b", span, "no line");
  CHECK(format_text(diagnostics) == "error: no file [a]\ntest.yaml: warning: no line [b]\n");
  CHECK(diagnostics.error_count() == 1);
}

TEST_CASE("a place beyond the end of a line has its caret there") {
  Diagnostics diagnostics;
  const Source file = source("ab\ncd");
  diagnostics.error("a", span_of(file, 99, 5), "end");
  CHECK(format_text(diagnostics) == "test.yaml:2:3: error: end [a]\n  cd\n    ^\n");
}

TEST_CASE("messages are sorted by location, and each is reported once") {
  const Source a = source("xyz\nxyz\n", "a.yaml");
  const Source b = source("xyz\n", "b.yaml");
  Diagnostics diagnostics;
  diagnostics.error("k", span_of(b, 0, 1), "4");
  diagnostics.error("k", span_of(a, 5, 1), "3");
  diagnostics.error("k", span_of(a, 1, 1), "2");
  diagnostics.error("k", span_of(a, 0, 1), "1");
  diagnostics.error("k", span_of(a, 0, 1), "1b");
  diagnostics.error("k", span_of(a, 0, 1), "1");
  CHECK(diagnostics.error_count() == 6);
  diagnostics.sort();
  std::string order;
  for (const Diagnostic& diagnostic : diagnostics.all()) order += diagnostic.message + " ";
  CHECK(order == "1 1b 2 3 4 ");
  CHECK(diagnostics.error_count() == 5);
}

TEST_CASE("appended messages count") {
  Diagnostics one, two;
  one.error("a", Span{}, "1");
  two.error("b", Span{}, "2");
  two.warning("c", Span{}, "3");
  one.append(std::move(two));
  CHECK(one.error_count() == 2);
  CHECK(one.all().size() == 3);
}

TEST_CASE("JSON has all parts of a message") {
  const Source file = source("ab\n");
  Diagnostics diagnostics;
  diagnostics.error("a", span_of(file, 1, 1), "m", "h").notes.emplace_back(span_of(file, 0, 1), "n");
  const nlohmann::json expected = nlohmann::json::parse(R"([{
    "file": "test.yaml", "line": 1, "column": 2, "length": 1, "severity": "error", "code": "a", "message": "m",
    "help": "h", "notes": [{"file": "test.yaml", "line": 1, "column": 1, "length": 1, "message": "n"}]}])");
  CHECK(nlohmann::json::parse(format_json(diagnostics)) == expected);
  CHECK(nlohmann::json::parse(format_json(Diagnostics())) == nlohmann::json::array());
}

TEST_CASE("a message that quotes half of a character is still JSON") {
  Diagnostics diagnostics;
  diagnostics.error("a", Span{}, "unexpected character '\xC3'");
  CHECK(nlohmann::json::accept(format_json(diagnostics)));
  CHECK(nlohmann::json::accept(format_sarif(diagnostics)));
}

TEST_CASE("SARIF counts characters") {
  const Source file = source("ää b\n");
  Diagnostics diagnostics;
  diagnostics.warning("a", span_of(file, 5, 1), "m", "h");
  const nlohmann::json log = nlohmann::json::parse(format_sarif(diagnostics));
  const nlohmann::json& result = log.at("runs").at(0).at("results").at(0);
  CHECK(result.at("ruleId") == "a");
  CHECK(result.at("level") == "warning");
  CHECK(result.at("message").at("text") == "m; h");
  const nlohmann::json& place = result.at("locations").at(0).at("physicalLocation");
  CHECK(place.at("artifactLocation").at("uri") == "test.yaml");
  CHECK(place.at("region") == nlohmann::json{{"startLine", 1}, {"startColumn", 4}, {"endColumn", 5}});
}

TEST_CASE("suggestions are close or none") {
  const std::vector<std::string> known = {"inputs", "outputs", "attrs", "doc"};
  CHECK(did_you_mean("input", known) == " (did you mean 'inputs'?)");
  CHECK(did_you_mean("Inputs", known) == " (did you mean 'inputs'?)");
  CHECK(did_you_mean("ouptuts", known) == " (did you mean 'outputs'?)");
  CHECK(did_you_mean("dco", known) == " (did you mean 'doc'?)");
  CHECK(did_you_mean("examples", known).empty());
  CHECK(did_you_mean("x", known).empty());
  CHECK(did_you_mean("", known).empty());
  CHECK(did_you_mean("x", {"X"}) == " (did you mean 'X'?)");
}

}  // namespace opgen::test
