#include <fcntl.h>
#include <unistd.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "runtime/paddle/program/inspect.h"
#include "runtime/paddle/program/uses.h"
#include "runtime/support/json_text.h"
#include "tests/fuzz/target.h"

namespace fluid2onnx::fuzz {

namespace fs = std::filesystem;

namespace {

/// Removed when the process ends in the ordinary way.
struct Folder {
  Folder() : path(fs::temp_directory_path() / ("fuzz-" + std::to_string(getpid()))) { fs::create_directories(path); }
  ~Folder() {
    std::error_code ignored;
    fs::remove_all(path, ignored);
  }
  fs::path path;
};

bool is_our_fault(ErrorCode code) { return code == E_INTERNAL || code == E_CHECK; }

}  // namespace

std::string folder() {
  static const Folder own;
  return own.path.string();
}

std::string& kept_models() {
  static std::string path;
  return path;
}

std::string write_file(std::string_view name, Bytes content) {
  std::string path = folder() + "/" + std::string(name);
  const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  const bool written = file >= 0 && write(file, content.data(), content.size()) == static_cast<ssize_t>(content.size());
  if (file >= 0) close(file);
  if (!written) throw std::runtime_error("cannot write " + path);
  return path;
}

void guarded(const std::function<void()>& f) {
  try {
    f();
  } catch (const Error& e) {
    if (is_our_fault(e.code())) throw Finding(e.what());
    if (e.message().empty()) throw Finding("an error without a message");
  }
}

void check_problem(const Problem& problem) {
  if (is_our_fault(problem.code)) throw Finding(problem.place() + ": " + problem.message);
}

void walk(const Program& program) {
  for (const Block& block : program.blocks) {
    for (const Op& op : block.ops) {
      for (const std::string& name : names_read(program, op)) program.find_variable(block.index, name);
      op.source.to_string();
    }
  }
  for (const auto& [name, parameter] : program.parameters) {
    if (parameter.data.offset + parameter.data.length > parameter.data.file->size()) {
      throw Finding("the data of parameter '" + name + "' is not in its file");
    }
  }
  if (json_text(describe_json(program)).empty() || json_text(ops_json(program)).empty()) throw Finding("no text");
  if (describe_text(program).empty()) throw Finding("no description");
}

}  // namespace fluid2onnx::fuzz
