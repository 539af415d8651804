// Every render/*.yaml must give exactly the C++ of the .cc beside it.
#include <doctest/doctest.h>

#include "generator/render/render.h"
#include "support.h"

namespace opgen::test {

TEST_CASE("specs render the expected C++") {
  const auto specs = files("tests/language/render", ".yaml");
  CHECK(specs.size() > 5);
  for (const auto& spec : specs) {
    CAPTURE(spec.filename().string());
    const auto checked = check_file(spec);
    const std::string messages = format_text(checked->diagnostics);
    REQUIRE_MESSAGE(messages.empty(), messages);
    const auto rendered = render_cpp(checked->program, onnx(), repository("templates").string());
    std::string found;
    for (const auto& [name, text] : rendered)
      if (name != "generated/registry.cc") found += "// ---- " + name + "\n" + text;
    CHECK_MESSAGE(matches(std::filesystem::path(spec).replace_extension(".cc"), found), found);
  }
}

TEST_CASE("rendering is deterministic") {
  const auto spec = files("tests/language/render", ".yaml").front();
  CHECK(render_cpp(check_file(spec)->program, onnx(), repository("templates").string()) ==
        render_cpp(check_file(spec)->program, onnx(), repository("templates").string()));
}

TEST_CASE("a hole that nothing fills is an error") {
  const auto spec = repository("tests/language/render/dims.yaml");
  CHECK_THROWS_WITH_AS(render_cpp(check_file(spec)->program, onnx(), repository("tests/language/templates").string()),
                       "template 'builders.cc.mustache': nothing fills '{{sumary}}'", std::runtime_error);
}

}  // namespace opgen::test
