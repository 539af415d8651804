// Many models at once in one process: each thread has its own program and model, all share what is read on first use
// (schemas, kernels' facts, tables of converters). The preset tsan builds this with ThreadSanitizer.
//
//   parallel_test FOLDER [THREADS [CONVERSIONS]]   of models, such as tests/data/models; conversions of each thread
//
// Memory must not grow after the first quarter of the conversions.
#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iostream>
#include <string>
#include <thread>
#include <vector>

#include "runtime/paddle/read/open_model.h"
#include "runtime/report/problems_text.h"
#include "runtime/support/error.h"
#include "runtime/to_onnx/convert_model.h"
#include "tests/runtime/onnx_bytes.h"

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
    return result.model ? test::onnx_bytes(*result.model) : problems_text(result.report.problems, job.opset, 0);
  } catch (const Error& e) {
    return e.what();
  }
}

/// Pages in memory; 0 where the system does not tell.
long pages() {
  std::ifstream file("/proc/self/statm");
  long all = 0, resident = 0;
  file >> all >> resident;
  return resident;
}

constexpr long kGrowth = 4096;  // pages: 16 MB, for what allocators keep

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2 || argc > 4) return 2;
  std::vector<Job> jobs;
  for (const auto& entry : std::filesystem::directory_iterator(argv[1])) {
    for (const int opset : {kOldestOpset, kDefaultOpset, newest_opset()}) jobs.push_back({entry.path(), opset});
  }
  if (jobs.empty()) return 2;
  const size_t count = argc > 2 ? std::stoul(argv[2]) : 4;
  const size_t conversions = argc > 3 ? std::stoul(argv[3]) * count : jobs.size();

  // In parallel first: what is made on first use is made by threads that meet there.
  std::vector<size_t> together(conversions);  // hashes of the results
  std::atomic<size_t> next = 0;
  std::atomic<long> early = 0;
  const auto work = [&] {
    for (size_t i; (i = next++) < conversions;) {
      together[i] = std::hash<std::string>()(result_of(jobs[i % jobs.size()]));
      if (i == conversions / 4) early = pages();
    }
  };
  std::vector<std::thread> threads;
  for (size_t i = 0; i < count; ++i) threads.emplace_back(work);
  for (std::thread& thread : threads) thread.join();
  const long late = pages();

  size_t wrong = 0;
  for (size_t j = 0; j < jobs.size(); ++j) {
    const size_t alone = std::hash<std::string>()(result_of(jobs[j]));
    for (size_t i = j; i < conversions; i += jobs.size()) {
      if (together[i] == alone) continue;
      ++wrong;
      std::cout << "FAILED: " << jobs[j].path << " at opset " << jobs[j].opset
                << " becomes another model beside others\n";
    }
  }
  // In short runs, memory still grows by what is made on first use.
  if (conversions >= 8 * jobs.size()) {
    std::cout << "memory: " << early / 256 << " MB after a quarter, " << late / 256 << " MB at the end\n";
    if (late > early + kGrowth) {
      ++wrong;
      std::cout << "FAILED: memory grows\n";
    }
  }
  std::cout << conversions << " conversions in " << count << " threads, " << wrong << " failed\n";
  return wrong == 0 ? 0 : 1;
}
