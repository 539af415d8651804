// Windows has no fork: the work is carried out in threads of this process.
#include "runtime/cli/workers.h"

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <queue>
#include <thread>
#include <utility>
#include <vector>

namespace fluid2onnx::cli {

void run_workers(size_t count, size_t jobs, const std::function<std::string(size_t)>& work,
                 const std::function<void(size_t, Outcome)>& finished) {
  std::mutex mutex;
  std::condition_variable some;
  std::queue<std::pair<size_t, std::string>> answers;
  size_t next = 0;
  const auto serve = [&] {
    for (;;) {
      size_t index = 0;
      {
        const std::lock_guard lock(mutex);
        if (next == count) return;
        index = next++;
      }
      std::string answer = work(index);
      const std::lock_guard lock(mutex);
      answers.emplace(index, std::move(answer));
      some.notify_one();
    }
  };
  std::vector<std::thread> threads;
  for (size_t i = 0; i < std::min(count, jobs); ++i) threads.emplace_back(serve);
  for (size_t i = 0; i < count; ++i) {
    std::unique_lock lock(mutex);
    some.wait(lock, [&] { return !answers.empty(); });
    std::pair<size_t, std::string> answer = std::move(answers.front());
    answers.pop();
    lock.unlock();
    finished(answer.first, {std::move(answer.second), ""});
  }
  for (std::thread& thread : threads) thread.join();
}

}  // namespace fluid2onnx::cli
