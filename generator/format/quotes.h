// Which texts YAML must have in quotes.
#pragma once

#include <string>

namespace opgen {

/// The text as YAML reads it back: plain if it can be, else in the quotes that need fewer escapes. `in_flow`: inside of
/// brackets.
std::string quoted_if_needed(const std::string& text, bool in_flow);

}  // namespace opgen
