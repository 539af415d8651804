// Locations in source files, and messages about them.
#pragma once

#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace opgen {

/// The text of one file; columns and lengths are bytes.
struct SourceFile {
  SourceFile(std::string shown, std::string content);

  std::string path;  ///< as shown to people, relative to the repository where possible
  std::string text;
  std::vector<size_t> line_starts;  ///< bytes; a final line end starts another line
};
using Source = std::shared_ptr<const SourceFile>;

/// A file, line and column: the identity of a part of a spec. The rows of a template share their places.
using Place = std::tuple<std::string, int, int>;

/// A run of bytes on one line. Line and column count from 1; line 0: no place in the file.
struct Span {
  Source file;
  int line = 0;
  int column = 0;
  int length = 1;

  Place place() const { return {file ? file->path : "", line, column}; }
};

enum class Severity : uint8_t { error, warning, note };
/// "error", "warning" or "note".
const char* severity_name(Severity severity);

struct Diagnostic {
  Severity severity = Severity::error;
  std::string code;  ///< stable, kebab-case: "unknown-key"
  Span span;
  std::string message;  ///< lower case, no full stop, names in single quotes: what was found and what was expected
  std::string help;     ///< how to fix it; empty if the message has it
  std::vector<std::pair<Span, std::string>> notes;  ///< second places
};

/// Collects all errors and warnings; printed once, sorted by file, line and column.
class Diagnostics {
 public:
  Diagnostic& error(const std::string& code, const Span& span, std::string message, std::string help = "");
  Diagnostic& warning(const std::string& code, const Span& span, std::string message, std::string help = "");
  void append(Diagnostics other);
  /// Later errors with these codes become warnings.
  void only_warn_of(std::set<std::string> codes) { harmless_ = std::move(codes); }
  bool has_errors() const { return errors_ > 0; }
  size_t error_count() const { return errors_; }
  /// The last error was a slip with a clear meaning: the compiler continues with the intended name.
  void was_mended() { ++mended_; }
  /// Errors that leave something out: later stages would report their consequences.
  size_t breaking_count() const { return errors_ - mended_; }
  const std::vector<Diagnostic>& all() const { return list_; }
  /// Sorts by file, line and column, and removes duplicates, such as one message per row of for_each.
  void sort();

 private:
  std::vector<Diagnostic> list_;
  std::set<std::string> harmless_;
  size_t errors_ = 0;
  size_t mended_ = 0;
};

/// file:line:col: error: message [code], the source line, carets, help and notes.
std::string format_text(const Diagnostics& diagnostics);
/// An array of objects with file, line, column, length, severity, code, message, help, notes.
std::string format_json(const Diagnostics& diagnostics);
/// SARIF 2.1.0, which editors and code hosts show beside the line.
std::string format_sarif(const Diagnostics& diagnostics);

/// The closest of `known`, or "" if none is close.
std::string closest(const std::string& word, const std::vector<std::string>& known);
/// " (did you mean 'x'?)" for the closest of `known`, or "".
std::string did_you_mean(const std::string& word, const std::vector<std::string>& known);

}  // namespace opgen
