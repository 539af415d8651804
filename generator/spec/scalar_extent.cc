#include "generator/spec/scalar_extent.h"

#include <algorithm>

#include "generator/diagnostics/text.h"

namespace opgen {
namespace {

size_t end_of_line(const std::string& source, size_t at) { return std::min(source.find('\n', at), source.size()); }

size_t without_trailing_blanks(const std::string& source, size_t from, size_t to) {
  while (to > from && is_blank(source[to - 1])) --to;
  return to;
}

}  // namespace

Extent quoted_extent(const std::string& source, size_t at) {
  const char quote = source[at];
  size_t i = at + 1;
  for (; i < source.size(); ++i) {
    if (quote == '"' && source[i] == '\\') {
      ++i;
    } else if (source[i] == quote) {
      if (quote == '"' || i + 1 >= source.size() || source[i + 1] != quote) break;
      ++i;  // '' denotes one quote
    }
  }
  return {at + 1, std::min(i, source.size())};
}

Extent block_extent(const std::string& source, size_t at) {
  size_t line = end_of_line(source, at);
  while (line < source.size()) {
    const size_t from = std::min(source.find_first_not_of(" \t", line + 1), source.size());
    const size_t end = end_of_line(source, from);
    if (from < end) return {from, without_trailing_blanks(source, from, end)};
    line = end;
  }
  return {at, at + 1};
}

Extent plain_extent(const std::string& source, size_t at, const std::string& value) {
  if (source.compare(at, value.size(), value) == 0) return {at, at + value.size()};
  const size_t end = std::min(source.find(" #", at), end_of_line(source, at));
  return {at, without_trailing_blanks(source, at, end)};
}

Extent flow_extent(const std::string& source, size_t at, std::string* text) {
  int depth = 0;
  Extent extent{at, source.size()};
  std::string plain;
  size_t copied = at;
  for (size_t i = at; i < source.size(); ++i) {
    const char c = source[i];
    const char before = i > at ? source[i - 1] : ' ';
    const bool begins = is_blank(before) || before == ',' || before == '[' || before == '{' || before == ':';
    if ((c == '"' || c == '\'') && begins) {
      i = quoted_extent(source, i).to;
    } else if (c == '#' && is_blank(before)) {
      const size_t end = end_of_line(source, i);
      plain += source.substr(copied, i - copied) + std::string(end - i, ' ');
      copied = i = end;
    } else if (c == '[' || c == '{') {
      ++depth;
    } else if ((c == ']' || c == '}') && --depth == 0) {
      extent.to = i + 1;
      break;
    }
  }
  if (text != nullptr) *text = plain + source.substr(copied, extent.to - copied);
  return extent;
}

}  // namespace opgen
