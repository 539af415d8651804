// Work in separate processes, several at a time.
#pragma once

#include <cstddef>
#include <functional>
#include <string>

namespace fluid2onnx::cli {

struct Outcome {
  std::string text;  ///< what the work gave
  std::string fate;  ///< how its process ended, if abnormally: "was ended by signal 9 (Killed)"
};

/// Carries out work(0) to work(count - 1), at most `jobs` at a time, each in a separate process: one that crashes, or
/// takes all the memory, does not take the others along. On Windows in threads, where it does. `finished` is called
/// here, as each ends. Errors: E_IO.
void run_workers(size_t count, size_t jobs, const std::function<std::string(size_t)>& work,
                 const std::function<void(size_t, Outcome)>& finished);

}  // namespace fluid2onnx::cli
