// Where a long expression, sentence or list goes on in the next line.
#pragma once

#include <string>
#include <string_view>

namespace opgen {

/// Characters, not bytes.
size_t width_of(std::string_view text);
/// `text`, which begins at `column`, over as many lines as it needs; all but the first have `indent` blanks in front.
std::string break_lines(const std::string& text, size_t column, size_t indent, size_t width);

}  // namespace opgen
