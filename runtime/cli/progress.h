// A progress line on the terminal.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace fluid2onnx::cli {

/// Shows nothing when stderr is no terminal, and nothing for work that is done within a second. Clears itself.
class ProgressLine {
 public:
  explicit ProgressLine(bool wanted);
  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  bool active() const { return active_; }
  void show(const char* what, uint64_t done, uint64_t total);
  /// Makes room for other text; the next show() brings the line back.
  void clear();

 private:
  using Clock = std::chrono::steady_clock;

  bool active_;
  bool shown_ = false;
  Clock::time_point next_;
};

/// "converting  12 %"
std::string progress_text(const char* what, uint64_t done, uint64_t total);

}  // namespace fluid2onnx::cli
