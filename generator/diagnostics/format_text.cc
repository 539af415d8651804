// Diagnostics as a compiler prints them.
#include <algorithm>
#include <string_view>

#include "generator/diagnostics/diagnostics.h"
#include "generator/diagnostics/limits.h"
#include "generator/diagnostics/source.h"

namespace opgen {
namespace {

bool continues_character(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

std::string head(const Span& span) {
  if (!span.file) return "";
  if (span.line < 1) return span.file->path + ": ";
  return span.file->path + ":" + std::to_string(span.line) + ":" + std::to_string(span.column) + ": ";
}

/// The source line with carets below. Columns are bytes but people see characters: one blank or caret for each, and
/// tabs as they are so that any tab width keeps the carets in place.
std::string excerpt(const Span& span) {
  if (!span.file || span.line < 1) return "";
  std::string_view line = line_of(*span.file, span.line);
  size_t from = std::min(static_cast<size_t>(span.column - 1), line.size());
  if (line.size() > limits::kShownLine) {
    size_t start = from > limits::kShownLine / 2 ? from - limits::kShownLine / 2 : 0;
    while (start < from && continues_character(line[start])) ++start;
    line = line.substr(start, limits::kShownLine);
    from -= start;
  }
  const size_t to = std::min(from + static_cast<size_t>(span.length), line.size());
  std::string carets;
  for (size_t i = 0; i < from; ++i)
    if (!continues_character(line[i])) carets += line[i] == '\t' ? '\t' : ' ';
  size_t width = 0;
  for (size_t i = from; i < to; ++i)
    if (!continues_character(line[i])) ++width;
  carets.append(std::max<size_t>(width, 1), '^');
  return "  " + std::string(line) + "\n  " + carets + "\n";
}

}  // namespace

std::string format_text(const Diagnostics& diagnostics) {
  std::string out;
  for (const Diagnostic& diagnostic : diagnostics.all()) {
    out += head(diagnostic.span) + severity_name(diagnostic.severity) + ": " + diagnostic.message + " [" +
           diagnostic.code + "]\n";
    out += excerpt(diagnostic.span);
    if (!diagnostic.help.empty()) out += "  help: " + diagnostic.help + "\n";
    for (const auto& [span, message] : diagnostic.notes) out += head(span) + "note: " + message + "\n" + excerpt(span);
  }
  return out;
}

}  // namespace opgen
