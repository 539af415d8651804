// Work in separate processes, several at a time.
#pragma once

#include <cstddef>
#include <functional>
#include <string>

namespace fluid2onnx::cli {

struct Outcome {
  std::string text;     ///< what the work gave
  std::string failure;  ///< how its process ended, if abnormally: "was ended by signal 9 (Killed)"
};

/// Runs work(0) to work(count - 1), at most `jobs` at a time, each in a separate process: a crash does not end the
/// others. Windows has threads instead. Calls `finished` in this process, as each ends. Errors: E_IO.
void run_workers(size_t count, size_t jobs, const std::function<std::string(size_t)>& work,
                 const std::function<void(size_t, Outcome)>& finished);

}  // namespace fluid2onnx::cli
