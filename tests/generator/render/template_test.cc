#include "generator/render/template.h"

#include <doctest/doctest.h>

#include "tests/generator/support.h"

namespace opgen::test {

TEST_CASE("templates escape what they are given, each kind in its way") {
  const std::string folder = repository("tests/generator/render/templates").string();
  const nlohmann::json data{{"text", "a \"b\" | <c> \\\n"}};
  CHECK(render_template(folder, "escapes.cc.mustache", data) == "\"a \\\"b\\\" | <c> \\\\\\n\"\n");
  CHECK(render_template(folder, "escapes.md.mustache", data) == "| a \"b\" \\| <c> \\  |\n");
  CHECK(render_template(folder, "escapes.html.mustache", data) == "<p>a &quot;b&quot; | &lt;c&gt; \\\n</p>\n");
}

}  // namespace opgen::test
