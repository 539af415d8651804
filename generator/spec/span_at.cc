#include <algorithm>

#include "generator/diagnostics/source.h"
#include "generator/diagnostics/text.h"
#include "generator/spec/spec.h"

namespace opgen {
namespace {

/// Walks the text and its source side by side. They differ in blanks (indentation, folded lines, those that replace
/// comments in flow lists) and in escapes.
class Walk {
 public:
  Walk(const std::string& text, const std::string& source, size_t at)
      : text_(text), source_(source), quote_(at > 0 ? source[at - 1] : '\0'), at_(at) {}

  size_t to(size_t offset) {
    while (i_ < offset && i_ < text_.size()) step();
    return at_;
  }

 private:
  char source(size_t at) const { return at < source_.size() ? source_[at] : '\0'; }

  void step() {
    if (is_blank(text_[i_])) {
      while (i_ < text_.size() && is_blank(text_[i_])) ++i_;
      skip_blanks();
      return;
    }
    const char c = text_[i_++];
    const bool escaped = (quote_ == '"' && source(at_) == '\\') || (quote_ == '\'' && c == '\'');
    at_ += escaped ? 2 : 1;
  }

  void skip_blanks() {
    while (true) {
      while (is_blank(source(at_))) ++at_;
      if (source(at_) != '#' || (i_ < text_.size() && text_[i_] == '#')) return;
      at_ = std::min(source_.find('\n', at_), source_.size());
    }
  }

  const std::string& text_;
  const std::string& source_;
  char quote_;  ///< in front of the text, if it is quoted
  size_t i_ = 0;
  size_t at_;
};

}  // namespace

Span span_at(const Text& text, size_t offset, size_t length) {
  if (!text.span.file || text.span.line < 1 || !text.as_written) return text.span;
  const std::string& source = text.span.file->text;
  const size_t start = offset_of(text.span);
  // The usual case: the file has the text verbatim.
  if (source.compare(start, offset, text.text, 0, offset) == 0 && text.text.find('\n') == std::string::npos)
    return span_of(text.span.file, start + offset, length);
  return span_of(text.span.file, Walk(text.text, source, start).to(offset), length);
}

Text part_of(const Text& text, size_t offset, size_t length) {
  Text part{text.text.substr(offset, length), span_at(text, offset, length)};
  if (!part.span.file || part.span.line < 1) return part;
  const std::string& source = part.span.file->text;
  if (source.compare(offset_of(part.span), part.text.size(), part.text) == 0) return part;
  // Columns of a table stand in front of it: their text is not the source's.
  const size_t start = offset_of(text.span);
  const std::string_view near = std::string_view(source).substr(start, 2 * text.text.size() + part.text.size());
  const size_t found = part.text.empty() ? std::string_view::npos : near.find(part.text);
  if (found < 2 * text.text.size()) part.span = span_of(part.span.file, start + found, part.text.size());
  else part = {part.text, text.span, false};
  return part;
}

}  // namespace opgen
