// yaml-cpp reports where a value begins; its end is found in the source text.
#pragma once

#include <cstddef>
#include <string>

namespace opgen {

/// Bytes of the file, from..to without `to`.
struct Extent {
  size_t from = 0;
  size_t to = 0;
};

/// What is inside the quotes of the scalar whose opening quote is at `at`.
Extent quoted_extent(const std::string& source, size_t at);
/// The first line with text of the block scalar whose | or > is at `at`.
Extent block_extent(const std::string& source, size_t at);
/// The plain scalar at `at`, whose value is `value`; only its first line when it goes over several.
Extent plain_extent(const std::string& source, size_t at, const std::string& value);
/// The flow collection whose opening bracket is at `at`, with both brackets; `text` (if not null) gets it with comments
/// replaced by blanks.
Extent flow_extent(const std::string& source, size_t at, std::string* text);

}  // namespace opgen
