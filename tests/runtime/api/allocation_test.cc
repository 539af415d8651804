// Conversions whose n-th allocation fails, with n growing until the conversion succeeds: first this allocation alone,
// then it and all later ones. Each failure must be reported as std::bad_alloc or E_MEMORY. It must leave no new file,
// keep an old one, close its files and free its memory. The next conversion must write the same bytes as the first.
//
//   allocation_test FOLDER [STEP]   of models, such as tests/data/models; n += 1 + n / STEP, by default 50; at the end,
//   each n
//
// Two libraries call std::terminate without memory and are not tested:
// - destructors of nlohmann::json allocate: answer(), Paddle 3's .json files, and the tables read on first use
// - std::filesystem::directory_iterator of libstdc++: models are files here, not folders
#include <fcntl.h>
#include <unistd.h>

#include <cstdlib>
#include <exception>
#include <filesystem>
#include <functional>
#include <iostream>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "runtime/api/either_way.h"
#include "runtime/paddle/read/open_model.h"
#include "runtime/support/error.h"
#include "runtime/to_onnx/convert_model.h"
#include "tests/runtime/failing_allocations.h"
#include "tests/runtime/onnx_bytes.h"

using namespace fluid2onnx;
using test::allocations;
using test::Failing;

namespace {

constexpr char kOld[] = "an old file";

/// A conversion, and the bytes that it makes. Only the conversion is counted.
struct Case {
  std::string name;
  std::function<void()> convert;
  std::function<std::string()> bytes;
  const test::TemporaryFolder* folder;  ///< of the output
  std::string old;                      ///< the output before; empty: none
};

std::string contents(const test::TemporaryFolder& folder) {
  std::string bytes;
  for (const std::string& name : folder.files()) bytes += name + ": " + folder.read(name);
  return bytes;
}

struct Totals {
  long failed = 0, wrong = 0;
} totals;

const Case* current = nullptr;

std::string place(const Case& c) {
  return c.name + ", allocation " + std::to_string(allocations.first) +
         (allocations.failing == Failing::one ? "" : " and all later ones");
}

void wrong(const Case& c, const std::string& what) {
  ++totals.wrong;
  std::cout << "FAILED: " << place(c) << ": " << what << '\n' << std::flush;
}

int open_any() {
  const int fd = ::open("/", O_RDONLY);
  if (fd < 0) throw std::runtime_error("no descriptor is left");
  return fd;
}

int first_free_descriptor() {
  const int fd = open_any();
  ::close(fd);
  return fd;
}

/// The reported failure: empty without one, "memory" if it is that of memory.
std::string failure_of(const Case& c) {
  allocations.count = 0;
  allocations.thrown = allocations.refused = false;
  std::string failure;
  bool memory = false;
  allocations.counted = true;
  try {
    c.convert();
    allocations.counted = false;
  } catch (const std::bad_alloc&) {
    allocations.counted = false;
    memory = true;
  } catch (const Error& e) {
    allocations.counted = false;
    if (e.code() == E_MEMORY) memory = true;
    else failure = e.what();
  } catch (const std::exception& e) {
    allocations.counted = false;
    failure = e.what();
  }
  return memory ? "memory" : failure;
}

/// The output folder as it is before a conversion.
void reset(const Case& c) {
  for (const std::string& name : c.folder->files()) std::filesystem::remove(*c.folder / name);
  if (!c.old.empty()) c.folder->write(c.old, kOld);
}

std::string untouched(const Case& c) { return c.old.empty() ? "" : c.old + ": " + kOld; }

std::string converted(const Case& c) {
  const long first = std::exchange(allocations.first, 0);
  const std::string failure = failure_of(c);
  std::string bytes;
  if (failure.empty()) bytes = c.bytes();
  else wrong(c, "the conversion without a failure reports " + failure);
  allocations.first = first;
  reset(c);
  return bytes;
}

/// One conversion that fails, and the next one. False if no allocation failed.
bool fail_and_retry(const Case& c, const std::string& expected) {
  const int descriptor = first_free_descriptor();
  const std::string failure = failure_of(c);
  if (!allocations.thrown && !allocations.refused) {
    c.bytes();  // frees a model in memory
    reset(c);
    return false;
  }
  ++totals.failed;
  if (failure.empty()) {
    if (allocations.thrown) wrong(c, "the conversion succeeds");
    if (c.bytes() != expected) wrong(c, "the conversion makes another model");
  } else if (failure != "memory") {
    wrong(c, failure);
  } else if (contents(*c.folder) != untouched(c)) {
    wrong(c, "the output folder changes");
  }
  reset(c);
  if (first_free_descriptor() != descriptor) wrong(c, "a file is still open");
  if (converted(c) != expected) wrong(c, "the next conversion makes another model");
  return true;
}

long step = 50;
constexpr long kEach = 100;
// Protobuf loses a message if its repeated field cannot grow: MergeFrom, _InternalParse.
constexpr long kMostLost = 8;

void fail_each(const Case& c) {
  current = &c;
  reset(c);
  converted(c);  // tables that are read on first use
  const std::string expected = converted(c);
  const long before = totals.failed, all = allocations.count;
  // The last ones, while files are written, all fail.
  const auto next = [all](long n) { return n + (n > all - kEach ? 1 : 1 + n / step); };
  for (const Failing failing : {Failing::one, Failing::all_later}) {
    allocations.failing = failing;
    for (allocations.first = 1;; allocations.first = next(allocations.first)) {
      const long live = allocations.live;
      if (!fail_and_retry(c, expected)) break;
      const long lost = allocations.live - live;
      if (lost > kMostLost) wrong(c, std::to_string(lost) + " allocations are not freed");
    }
  }
  allocations.first = 0;
  std::cout << c.name << ": " << totals.failed - before << " failed of " << allocations.count << '\n' << std::flush;
}

Case in_memory(const std::string& path) {
  const auto result = std::make_shared<ConvertResult>();
  static const test::TemporaryFolder none;
  return {path + " in memory",
          [=] { *result = convert_model(open_model(path), {}); },
          [=] {
            std::string bytes = result->model ? test::onnx_bytes(*result->model) : "";
            *result = {};
            return bytes;
          },
          &none,
          {}};
}

Case to_file(const std::string& path, const test::TemporaryFolder& folder, const std::string& output,
             bool replaces = false) {
  const std::string written = folder / output;
  return {path + (replaces ? " over " : " to ") + output, [=] { convert_either(path, written); },
          [&folder] { return contents(folder); }, &folder, replaces ? output : std::string()};
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2 || argc > 3) return 2;
  if (argc > 2) step = std::stol(argv[2]);
  const std::string models = argv[1];
  std::set_terminate([] {
    allocations.counted = false;
    std::cout << "FAILED: " << place(*current) << ": std::terminate" << '\n' << std::flush;
    std::abort();
  });
  // From descriptor 10 on, the path "/proc/self/fd/10" no longer fits into a string without an allocation.
  while (open_any() < 10) {
  }
  const test::TemporaryFolder sources, folder;
  std::vector<std::string> onnx;
  for (const std::string name : {"model_combined", "nested_control"}) {
    onnx.push_back(sources / (name + ".onnx"));
    convert_either(models + "/" + name, onnx.back());
  }
  std::vector<Case> cases{
      in_memory(models + "/model_combined/__model__"),
      in_memory(models + "/nested_control/model.pdmodel"),
      to_file(models + "/jit/model.pdmodel", folder, "m.onnx"),
      to_file(models + "/while_loop/model.pdmodel", folder, "m.onnx"),
      to_file(onnx[0], folder, "m.pdmodel"),
      to_file(onnx[1], folder, "m.pdmodel"),
      to_file(models + "/while_loop/model.pdmodel", folder, "m.onnx", true),
  };
  for (const Case& c : cases) fail_each(c);
  std::cout << totals.failed << " allocations failed, " << totals.wrong << " wrong results\n";
  return totals.wrong == 0 ? 0 : 1;
}
