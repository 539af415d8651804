// Damages sample models in thousands of ways: each byte with F2O_DAMAGE_ALL=1 (in minutes), and fewer
// where scripts/test sets FLUID2ONNX_SANITIZED, because the sanitizers' build takes 30 times as long.
// The reader may accept the result (many bits don't matter) or refuse it with an Error; anything
// else, a crash or another exception, fails.

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "runtime/paddle/program/inspect.h"
#include "runtime/paddle/program/uses.h"
#include "runtime/paddle/read/open_model.h"
#include "runtime/support/json_text.h"
#include "tests/runtime/paddle/read/sample_programs.h"

namespace fluid2onnx {
namespace {

namespace fs = std::filesystem;
using test::read_file;
using test::TemporaryFolder;

// All that is promised of a Program must hold, so that walking over it is safe.
void walk(const Program& program) {
  for (const Block& block : program.blocks) {
    for (const Op& op : block.ops) {
      for (const std::string& name : names_read(program, op)) {
        program.find_variable(block.index, name);
      }
    }
  }
  for (const auto& [name, parameter] : program.parameters) {
    const std::uint64_t end = parameter.data.offset + parameter.data.length;
    if (end > parameter.data.file->size()) FAIL(name);
  }
  if (json_text(describe_json(program)).empty()) FAIL("no text");
}

void open_damaged(const std::string& path) {
  try {
    walk(open_model(path));
  } catch (const Error& error) {
    if (error.place().empty() || error.message().empty()) FAIL(error.what());
  }
}

// Overwrites one byte in place.
void set_byte(const std::string& path, std::size_t at, char byte) {
  std::fstream file(path, std::ios::binary | std::ios::in | std::ios::out);
  file.seekp(static_cast<std::streamoff>(at));
  file.put(byte);
  REQUIRE(file.flush());
}

// Opens the model after each change to one of its files.
void damage(const TemporaryFolder& scratch, const std::string& model, const std::string& file) {
  const std::string path = scratch.path(file);
  const std::string bytes = read_file(path);
  const std::size_t places = std::getenv("F2O_DAMAGE_ALL")         ? bytes.size()
                             : std::getenv("FLUID2ONNX_SANITIZED") ? 100
                                                                   : 1000;
  const std::size_t step = (bytes.size() / places) | 1;
  constexpr char kFlips[] = {'\x01', '\x7f', '\x80', '\x08'};
  std::size_t flip = 0;
  for (std::size_t at = 0; at < bytes.size(); at += step) {
    set_byte(path, at, static_cast<char>(bytes[at] ^ kFlips[flip++ % std::size(kFlips)]));
    open_damaged(model);
    set_byte(path, at, bytes[at]);
  }
  for (std::size_t end = bytes.size(); end-- > 0;) {
    if (end % step != 0) continue;
    fs::resize_file(path, end);
    open_damaged(model);
  }
  scratch.write(file, bytes);
}

void damage_sample(const std::string& name) {
  const TemporaryFolder scratch;
  std::vector<std::string> files;
  for (const auto& entry : fs::directory_iterator(test::sample(name))) {
    const std::string file = entry.path().filename().string();
    if (file.ends_with(".npz") || file.ends_with(".info")) continue;
    scratch.write(file, read_file(entry.path().string()));
    files.push_back(file);
  }
  std::string model;
  for (const std::string& file : files) {
    if (file == "__model__" || file.ends_with(".pdmodel") || file.ends_with(".json")) model = scratch.path(file);
  }
  REQUIRE_FALSE(model.empty());
  for (const std::string& file : files) damage(scratch, model, file);
}

TEST_CASE("damaged files give errors, never crashes") {
  for (const char* name : {"jit", "model_separate", "model_combined", "while_loop", "cond_branch", "nested_control",
                           "tensor_array", "axis_tensor", "set_item", "ops_1x", "param_dtypes", "pir/jit",
                           "pir/json_separate", "pir/while_swap", "pir/cond_branch", "pir/tensor_shape_args"}) {
    CAPTURE(name);
    damage_sample(name);
  }
}

}  // namespace
}  // namespace fluid2onnx
