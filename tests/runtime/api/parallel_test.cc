// Many models at once in one process: each thread has its own program and model, all share what is read on first use
// (schemas, kernels' facts, tables of converters). The preset tsan builds this with ThreadSanitizer.
//
//   parallel_test FOLDER   of models, such as tests/data/models
#include <atomic>
#include <filesystem>
#include <iostream>
#include <string>
#include <thread>
#include <vector>

#include "runtime/onnx/write/onnx_writer.h"
#include "runtime/paddle/read/open_model.h"
#include "runtime/support/error.h"
#include "runtime/to_onnx/convert_model.h"

using namespace fluid2onnx;

namespace {

struct Job {
  std::string path;
  int opset;
};

/// The file's bytes, or why there are none.
std::string result_of(const Job& job) {
  ConvertOptions options;
  options.opset = job.opset;
  try {
    const ConvertResult result = convert_model(open_model(job.path), options);
    return result.model ? onnx_bytes(*result.model) : problems_text(result.report.problems, job.opset, 0);
  } catch (const Error& e) {
    return e.what();
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  std::vector<Job> jobs;
  for (const auto& entry : std::filesystem::directory_iterator(argv[1])) {
    for (const int opset : {kOldestOpset, kDefaultOpset, newest_opset()}) jobs.push_back({entry.path(), opset});
  }
  // In parallel first: what is made on first use is made by threads that meet there.
  std::vector<std::string> together(jobs.size());
  std::atomic<size_t> next = 0;
  const auto work = [&] {
    for (size_t i; (i = next++) < jobs.size();) together[i] = result_of(jobs[i]);
  };
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) threads.emplace_back(work);
  for (std::thread& thread : threads) thread.join();

  int wrong = 0;
  for (size_t i = 0; i < jobs.size(); ++i) {
    if (together[i] == result_of(jobs[i])) continue;
    ++wrong;
    std::cout << "FAILED: " << jobs[i].path << " at opset " << jobs[i].opset
              << " becomes another model beside others\n";
  }
  std::cout << jobs.size() - static_cast<size_t>(wrong) << " passed, " << wrong << " failed\n";
  return wrong == 0 && !jobs.empty() ? 0 : 1;
}
