#include "generator/diagnostics/diagnostics.h"

#include <algorithm>
#include <tuple>

namespace opgen {
namespace {

const std::string& path_of(const Span& span) {
  static const std::string none;
  return span.file ? span.file->path : none;
}

auto sort_key(const Span& span) { return std::tie(path_of(span), span.line, span.column); }

bool same(const Diagnostic& a, const Diagnostic& b) {
  return sort_key(a.span) == sort_key(b.span) && a.code == b.code && a.message == b.message;
}

}  // namespace

const char* severity_name(Severity severity) {
  switch (severity) {
    case Severity::error: return "error";
    case Severity::warning: return "warning";
    case Severity::note: return "note";
  }
  return "";
}

Diagnostic& Diagnostics::error(const std::string& code, const Span& span, std::string message, std::string help) {
  if (harmless_.count(code) > 0) return warning(code, span, std::move(message), std::move(help));
  ++errors_;
  return list_.emplace_back(Diagnostic{Severity::error, code, span, std::move(message), std::move(help), {}});
}

Diagnostic& Diagnostics::warning(const std::string& code, const Span& span, std::string message, std::string help) {
  return list_.emplace_back(Diagnostic{Severity::warning, code, span, std::move(message), std::move(help), {}});
}

void Diagnostics::append(Diagnostics other) {
  errors_ += other.errors_;
  for (Diagnostic& diagnostic : other.list_) list_.push_back(std::move(diagnostic));
}

void Diagnostics::sort() {
  std::stable_sort(list_.begin(), list_.end(),
                   [](const Diagnostic& a, const Diagnostic& b) { return sort_key(a.span) < sort_key(b.span); });
  // Equal ones need not be neighbours: two messages about one place may alternate.
  std::vector<Diagnostic> once;
  for (Diagnostic& diagnostic : list_) {
    bool seen = false;
    for (auto it = once.rbegin(); it != once.rend() && sort_key(it->span) == sort_key(diagnostic.span) && !seen; ++it)
      seen = same(*it, diagnostic);
    if (!seen) once.push_back(std::move(diagnostic));
  }
  list_ = std::move(once);
  errors_ = static_cast<size_t>(std::count_if(
      list_.begin(), list_.end(), [](const Diagnostic& diagnostic) { return diagnostic.severity == Severity::error; }));
}

}  // namespace opgen
