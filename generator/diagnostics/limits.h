// The limits of specs that are given at run time. docs/limits.md lists them for users.
#pragma once

#include <cstddef>

namespace opgen::limits {

/// Lists and mappings of a spec file within each other. Real specs have a dozen.
inline constexpr std::size_t kYamlDepth = 100;
/// Operators, calls and brackets of an expression within each other; a + b + c has two levels.
inline constexpr int kExpressionDepth = 200;

/// Bytes of a line of the source that a message shows.
inline constexpr std::size_t kShownLine = 1000;

}  // namespace opgen::limits
