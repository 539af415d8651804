// What the tests of opgen share.
#pragma once

#include <string>
#include <string_view>

#include "generator/spec/facts.h"
#include "generator/spec/spec.h"

namespace opgen::test {

/// A path below the repository's root.
std::string repository(const std::string& path);
std::string read_all(const std::string& path);
Source source(const std::string& text, const std::string& path = "test.yaml");

/// Reads text as a spec file; with errors, the test fails and prints them.
SpecSet specs_of(const std::string& text);
/// The diagnostics of a text, formatted.
std::string errors_of(const std::string& text);
/// The committed tables; read once.
const Facts& facts();

/// The bytes of the source line that a span covers.
std::string covered(const Span& span);

}  // namespace opgen::test
