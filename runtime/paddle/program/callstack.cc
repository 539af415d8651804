#include "runtime/paddle/program/callstack.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <string_view>

namespace fluid2onnx {
namespace {

/// A program has a few dozen frames per operator and one is needed: only that one is copied.
struct Frame {
  std::string_view file;
  int32_t line = 0;
  std::string_view function;
};

/// '  File "PATH", line N, in FUNCTION'; the last part may be missing.
std::optional<Frame> parse_frame(std::string_view entry) {
  entry = entry.substr(0, entry.find('\n'));
  constexpr std::string_view kFile = "File \"";
  constexpr std::string_view kLine = "\", line ";
  constexpr std::string_view kIn = ", in ";
  const size_t start = entry.find_first_not_of(' ');
  if (start == std::string_view::npos || entry.substr(start, kFile.size()) != kFile) {
    return std::nullopt;
  }
  entry.remove_prefix(start + kFile.size());
  size_t end = entry.rfind('"');
  while (end != std::string_view::npos && entry.substr(end, kLine.size()) != kLine) {
    end = end == 0 ? std::string_view::npos : entry.rfind('"', end - 1);
  }
  if (end == std::string_view::npos) return std::nullopt;
  Frame frame;
  frame.file = entry.substr(0, end);
  entry.remove_prefix(end + kLine.size());
  const auto number = std::from_chars(entry.data(), entry.data() + entry.size(), frame.line);
  if (number.ec != std::errc()) return std::nullopt;
  entry.remove_prefix(static_cast<size_t>(number.ptr - entry.data()));
  if (entry.substr(0, kIn.size()) == kIn) frame.function = entry.substr(kIn.size());
  return frame;
}

bool is_machinery(std::string_view file) {
  if (file.empty() || file.front() == '<') return true;  // <decorator-gen-12>
  for (const std::string_view root : {"-packages/decorator", "-packages/paddle/", "/python/paddle/"}) {
    const size_t at = file.find(root);
    if (at == std::string_view::npos) continue;
    const std::string_view rest = file.substr(at + root.size());
    return root.back() != '/' || (!rest.starts_with("vision/") && !rest.starts_with("text/"));
  }
  return false;
}

}  // namespace

SourceLine distill_callstack(const std::vector<std::string_view>& entries) {
  std::optional<Frame> found;
  const auto look_at = [&found](std::string_view entry) {
    const std::optional<Frame> frame = parse_frame(entry);
    if (frame && !is_machinery(frame->file)) found = frame;
    return found.has_value();
  };
  const bool innermost_first = std::any_of(
      entries.begin(), entries.end(), [](std::string_view entry) { return !entry.empty() && entry.back() == '\n'; });
  if (innermost_first) {
    static_cast<void>(std::find_if(entries.begin(), entries.end(), look_at));
  } else {
    static_cast<void>(std::find_if(entries.rbegin(), entries.rend(), look_at));
  }
  SourceLine line;
  if (!found) return line;
  line.file = found->file;
  line.line = found->line;
  line.function = found->function;
  return line;
}

}  // namespace fluid2onnx
