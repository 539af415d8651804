#include "runtime/cli/journal.h"

#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "runtime/support/error.h"
#include "runtime/support/json_text.h"
#include "runtime/support/platform.h"
#include "runtime/support/version.h"

namespace fluid2onnx::cli {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

/// Pipes and devices have no end, or wait for another program.
void check_kind(const std::string& path) {
  std::error_code error;
  if (!fs::exists(path, error) || fs::is_regular_file(path, error)) return;
  throw Error(E_WRITE, "is a folder, pipe or device, expected a regular file")
      .at(path)
      .hint("remove it, or use another folder for the results");
}

/// [size, time]; null if there is no such file.
json stamp(const std::string& path) {
  std::error_code error;
  const auto time = fs::last_write_time(path, error);
  if (error) return nullptr;
  const uint64_t size = fs::is_directory(path, error) ? 0 : fs::file_size(path, error);
  if (error) return nullptr;
  // Standard libraries count in integers of different size.
  return {size, std::chrono::duration_cast<std::chrono::nanoseconds>(time.time_since_epoch()).count()};
}

/// False, with errno, when that fails.
bool write_all(int fd, const std::string& text) {
  for (size_t done = 0; done < text.size();) {
    const auto n = platform::write_some(fd, text.data() + done, text.size() - done);
    if (n < 0 && errno != EINTR) return false;
    if (n > 0) done += static_cast<size_t>(n);
  }
  return true;
}

}  // namespace

Journal::Journal(const std::string& path, std::string options, bool resume)
    : path_(path), options_(std::move(options)) {
  bool whole = true;
  check_kind(path);
  if (resume) {
    std::ifstream file(path);
    for (std::string line; std::getline(file, line);) {
      whole = !file.eof();
      json entry = json::parse(line, nullptr, false);
      if (!entry.is_object() || !entry["output"].is_string()) continue;  // cut off, or not ours
      std::string output = entry["output"];
      entries_[std::move(output)] = std::move(entry);
    }
  }
  fd_ = platform::open_for_appending(path, !resume);
  if (fd_ < 0) throw Error(E_WRITE, std::string("cannot be written: ") + std::strerror(errno)).at(path_);
  if (!whole && !write_all(fd_, "\n")) {
    const int number = errno;
    ::close(fd_);
    throw Error(E_WRITE, std::string("cannot be written: ") + std::strerror(number)).at(path_);
  }
}

std::set<std::string> Journal::results(const std::string& path) {
  check_kind(path);
  std::set<std::string> results;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    const json entry = json::parse(line, nullptr, false);
    if (!entry.is_object() || !entry.contains("result") || !entry["result"].is_string()) continue;
    results.insert(
        normalized_path((normalized_path(path).parent_path() / entry["result"].get<std::string>()).string()).string());
  }
  return results;
}

Journal::~Journal() { ::close(fd_); }

json Journal::asked(const Job& job) const {
  return {{"version", kVersion},
          {"options", options_},
          {"line", job.line},
          {"model", job.request.model},
          {"output", job.request.output}};
}

bool Journal::done(const Job& job) const {
  const auto found = entries_.find(job.request.output);
  if (found == entries_.end()) return false;
  const json& entry = found->second;
  const json wanted = asked(job);
  for (const auto& [key, value] : wanted.items()) {
    // What is no UTF-8 was replaced when it was written.
    if (!entry.contains(key) || json_line(entry[key]) != json_line(value)) return false;
  }
  if (!entry.contains("files") || !entry["files"].is_object()) return false;
  for (const auto& [path, time] : entry["files"].items()) {
    if (time.is_null() || stamp(path) != time) return false;
  }
  return true;
}

void Journal::add(const Job& job, const json& report) {
  json entry = asked(job), files = json::object();
  for (const char* member : {"model", "params", "output", "data_path"}) {
    if (report.contains(member) && report[member].is_string()) {
      const std::string path = report[member];
      files[path] = stamp(path);
    }
  }
  entry["files"] = std::move(files);
  entry["result"] =
      normalized_path(job.request.output).lexically_relative(normalized_path(path_).parent_path()).string();
  const std::string line = json_line(entry) + "\n";
  if (!write_all(fd_, line)) {
    throw Error(E_WRITE, std::string("cannot be written: ") + std::strerror(errno)).at(path_);
  }
}

}  // namespace fluid2onnx::cli
