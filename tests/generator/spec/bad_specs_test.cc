// Every bad/bad-*.yaml must give exactly the messages of the .txt beside it. OPGEN_UPDATE=1 rewrites them.
#include <doctest/doctest.h>

#include "generator/spec/example.h"
#include "tests/generator/support.h"

namespace opgen::test {

TEST_CASE("bad specs give the expected messages") {
  const auto specs = files("tests/generator/spec/bad", ".yaml");
  CHECK(specs.size() > 50);
  for (const auto& spec : specs) {
    CAPTURE(spec.filename().string());
    Diagnostics diagnostics;
    const SpecSet read = read_specs(spec.string(), spec.parent_path().string(), diagnostics);
    check_examples(read, facts(), diagnostics);
    diagnostics.sort();
    const std::string found = format_text(diagnostics);
    CHECK(diagnostics.has_errors());
    CHECK_MESSAGE(matches(std::filesystem::path(spec).replace_extension(".txt"), found), found);
  }
}

}  // namespace opgen::test
