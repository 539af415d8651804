#include "generator/diagnostics/source.h"

#include <algorithm>
#include <cstring>
#include <fstream>
#include <iterator>

namespace opgen {
namespace {

std::string normalized(std::string text) {
  if (text.compare(0, 3, "\xEF\xBB\xBF") == 0) text.erase(0, 3);
  size_t to = 0;
  for (size_t from = 0; from < text.size(); ++from) {
    if (text[from] == '\r' && from + 1 < text.size() && text[from + 1] == '\n') continue;
    text[to++] = text[from];
  }
  text.resize(to);
  return text;
}

/// The length of the UTF-8 sequence at `at`, or 0 if missing.
size_t sequence_length(const std::string& text, size_t at) {
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(i < text.size() ? text[i] : 0); };
  const unsigned char first = byte(at);
  if (first < 0x80) return 1;
  const size_t length = first >= 0xC2 && first <= 0xDF   ? 2
                        : (first & 0xF0) == 0xE0         ? 3
                        : first >= 0xF0 && first <= 0xF4 ? 4
                                                         : 0;
  for (size_t i = 1; i < length; ++i)
    if ((byte(at + i) & 0xC0) != 0x80) return 0;
  // overlong forms, surrogates and what is beyond Unicode
  if ((first == 0xE0 && byte(at + 1) < 0xA0) || (first == 0xED && byte(at + 1) > 0x9F)) return 0;
  if ((first == 0xF0 && byte(at + 1) < 0x90) || (first == 0xF4 && byte(at + 1) > 0x8F)) return 0;
  return length;
}

bool is_text(const Source& file, Diagnostics& diagnostics) {
  const std::string& text = file->text;
  for (size_t at = 0; at < text.size();) {
    const auto c = static_cast<unsigned char>(text[at]);
    const size_t length = sequence_length(text, at);
    if (length == 0) {
      diagnostics.error("not-utf8", span_of(file, at, 1), "the byte is not UTF-8 text");
      return false;
    }
    if ((c < 0x20 && c != '\n' && c != '\t') || c == 0x7F) {
      diagnostics.error("control-character", span_of(file, at, 1), "control character in a text file");
      return false;
    }
    at += length;
  }
  return true;
}

}  // namespace

SourceFile::SourceFile(std::string shown, std::string content)
    : path(std::move(shown)), text(std::move(content)), line_starts{0} {
  for (size_t at = text.find('\n'); at != std::string::npos; at = text.find('\n', at + 1))
    line_starts.push_back(at + 1);
}

Source load_source(const std::string& path, const std::string& shown, Diagnostics& diagnostics) {
  std::ifstream in(path, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  const bool read = in.is_open() && !in.bad();
  const auto file = std::make_shared<const SourceFile>(shown, normalized(std::move(text)));
  if (!read) {
    Span nowhere;
    nowhere.file = file;
    diagnostics.error("unreadable-file", nowhere, "cannot read '" + shown + "'");
    return nullptr;
  }
  return is_text(file, diagnostics) ? file : nullptr;
}

size_t line_start(const SourceFile& file, int line) {
  const auto index = static_cast<size_t>(std::max(line, 1) - 1);
  return index < file.line_starts.size() ? file.line_starts[index] : file.text.size();
}

std::string_view line_of(const SourceFile& file, int line) {
  if (line < 1) return {};
  const size_t from = line_start(file, line);
  const size_t to = std::min(file.text.find('\n', from), file.text.size());
  return std::string_view(file.text).substr(from, to - from);
}

Span span_of(const Source& file, size_t offset, size_t length) {
  const std::string& text = file->text;
  offset = std::min(offset, text.size());
  const auto next = std::upper_bound(file->line_starts.begin(), file->line_starts.end(), offset);
  const size_t start = *(next - 1);
  const size_t end = std::min(text.find('\n', offset), text.size());

  Span span;
  span.file = file;
  span.line = static_cast<int>(next - file->line_starts.begin());
  span.column = 1 + static_cast<int>(offset - start);
  span.length = static_cast<int>(std::max<size_t>(1, std::min(length, end - offset)));
  return span;
}

size_t offset_of(const Span& span) {
  if (!span.file || span.line < 1) return 0;
  return std::min(line_start(*span.file, span.line) + static_cast<size_t>(span.column - 1), span.file->text.size());
}

}  // namespace opgen
