#include "runtime/cli/progress.h"

#include <cstdlib>
#include <iostream>
#include <string_view>

#include "runtime/support/platform.h"

namespace fluid2onnx::cli {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kLong{1000};
constexpr milliseconds kBetween{100};
constexpr char kClear[] = "\r\x1b[K";

bool terminal() {
  const char* kind = std::getenv("TERM");
  return platform::is_terminal(2) && (!kind || std::string_view(kind) != "dumb");
}

}  // namespace

std::string progress_text(const char* what, uint64_t done, uint64_t total) {
  std::string text = what;
  if (total == 0) return text + " ...";
  const std::string percent =
      std::to_string(static_cast<uint64_t>(100.0 * static_cast<double>(done) / static_cast<double>(total)));
  return text + std::string(5 - percent.size(), ' ') + percent + " %";
}

ProgressLine::ProgressLine(bool wanted) : active_(wanted && terminal()), next_(Clock::now() + kLong) {}

ProgressLine::~ProgressLine() { clear(); }

void ProgressLine::clear() {
  if (shown_) std::cerr << kClear << std::flush;
  shown_ = false;
}

void ProgressLine::show(const char* what, uint64_t done, uint64_t total) {
  const auto now = Clock::now();
  if (now < next_) return;
  next_ = now + kBetween;
  shown_ = true;
  std::cerr << kClear << progress_text(what, done, total) << std::flush;
}

}  // namespace fluid2onnx::cli
