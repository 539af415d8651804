// Every cases/*.yaml must give exactly the lowered form of the .lowered beside it, and the C++ of the .cc.
#include <doctest/doctest.h>

#include "generator/lower/lower.h"
#include "generator/print/cpp_text.h"
#include "generator/print/print.h"
#include "tests/generator/support.h"

namespace opgen::test {
namespace {

std::map<std::string, std::string> printed(const CheckedProgram& program, const std::string& templates) {
  return print_cpp(lowered::lower(program, onnx()), onnx(), facts(), repository(templates).string());
}

}  // namespace

TEST_CASE("specs render the expected C++") {
  const auto specs = files("tests/generator/print/cases", ".yaml");
  CHECK(specs.size() > 5);
  for (const auto& spec : specs) {
    CAPTURE(spec.filename().string());
    const auto checked = check_file(spec);
    const std::string messages = format_text(checked->diagnostics);
    REQUIRE_MESSAGE(messages.empty(), messages);
    const std::string form = lowered::dump(lowered::lower(checked->program, onnx()));
    CHECK_MESSAGE(matches(std::filesystem::path(spec).replace_extension(".lowered"), form), form);
    const auto rendered = printed(checked->program, "templates");
    std::string found;
    for (const auto& [name, text] : rendered)
      if (!name.ends_with("registry.cc") && !name.ends_with("operations.cc")) found += "// ---- " + name + "\n" + text;
    CHECK_MESSAGE(matches(std::filesystem::path(spec).replace_extension(".cc"), found), found);
  }
}

TEST_CASE("rendering is deterministic") {
  const auto spec = files("tests/generator/print/cases", ".yaml").front();
  const auto once = check_file(spec);
  const auto again = check_file(spec);
  CHECK(printed(once->program, "templates") == printed(again->program, "templates"));
}

TEST_CASE("a hole that nothing fills is an error") {
  const auto spec = repository("tests/generator/print/cases/dims.yaml");
  const auto checked = check_file(spec);
  CHECK_THROWS_WITH_AS(printed(checked->program, "tests/generator/render/templates"),
                       "template 'unit.cc.mustache': nothing fills '{{sumary}}'", std::runtime_error);
}

TEST_CASE("no name of a spec hides what printed code calls") {
  const std::set<std::string> reserved = cpp::reserved_names();
  for (const char* name : {"lowest", "highest", "show", "dim_of", "to_scalar", "truncate", "goto", "requires",
                           "typedef", "sizeof", "mutable", "convert_", "Dims", "each", "state"}) {
    CAPTURE(name);
    CHECK(reserved.count(name) == (std::string(name) == "convert_" ? 0 : 1));
  }
}

}  // namespace opgen::test
