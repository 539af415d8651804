// Runs inputs without libFuzzer.
//
//   fuzz_findings FILE_OR_FOLDER...                    each file in the target that its name begins with: "pir-deep"
//   fuzz_findings --random SECONDS TARGET FOLDER OUT   changes the folder's files at random; what fails is kept in OUT
//   fuzz_findings --models MODELS ...                  keeps the converted ONNX models in the folder MODELS
#include <google/protobuf/stubs/logging.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>
#include <vector>

#include "runtime/paddle/proto/framework.pb.h"
#include "tests/fuzz/mutate.h"
#include "tests/fuzz/mutate_json.h"
#include "tests/fuzz/onnx_model.pb.h"
#include "tests/fuzz/target.h"

namespace {

using namespace fluid2onnx::fuzz;  // NOLINT: the targets
namespace fs = std::filesystem;

const Target* find_target(const std::string& name) {
  for (const auto& list : {paddle_targets(), onnx_targets(), conversion_targets()}) {
    for (const Target& target : list) {
      if (name == target.name) return &target;
    }
  }
  return nullptr;
}

std::vector<fs::path> files_of(const std::vector<std::string>& arguments) {
  std::vector<fs::path> files;
  for (const std::string& argument : arguments) {
    if (!fs::is_directory(argument)) {
      files.emplace_back(argument);
      continue;
    }
    for (const auto& entry : fs::directory_iterator(argument)) files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

std::string content_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

Bytes bytes_of(const std::string& text) { return {reinterpret_cast<const uint8_t*>(text.data()), text.size()}; }

/// What is wrong with the input; "" if nothing is.
std::string run(const Target& target, const std::string& input) {
  try {
    target.run(bytes_of(input));
    return "";
  } catch (const std::exception& e) {
    return std::string("problem: ") + e.what();
  }
}

int run_files(const std::vector<fs::path>& files) {
  int passed = 0, failed = 0;
  for (const fs::path& path : files) {
    const std::string name = path.filename().string();
    const Target* target = find_target(name.substr(0, name.find('-')));
    std::cerr << name << "\n" << std::flush;  // of a crash, the last line names the file
    const std::string problem = target != nullptr ? run(*target, content_of(path)) : "no target has this name";
    if (problem.empty()) {
      ++passed;
      continue;
    }
    ++failed;
    std::cout << "FAILED " << name << ": " << problem << "\n";
  }
  std::cout << passed << " passed, " << failed << " failed\n";
  return failed == 0 && passed > 0 ? 0 : 1;
}

template <class Message>
std::string changed(const std::string& input, Random& random) {
  Message message;
  std::string out = input.substr(0, kOptionBytes);
  if (!message.ParsePartialFromString(input.substr(out.size()))) return input;
  if (random() % 8 == 0) out[random() % out.size()] = static_cast<char>(random());
  const unsigned times = 1 + static_cast<unsigned>(random() % 3);
  for (unsigned i = 0; i < times; ++i) mutate(&message, random);
  return out + message.SerializePartialAsString();
}

std::string changed_json(const std::string& input, Random& random) {
  std::string out = input.substr(0, kOptionBytes);
  Json tree = parse_json(std::string_view(input).substr(out.size()));
  if (tree.is_discarded()) return input;
  if (one_in(random, 8)) out[below(random, out.size())] = static_cast<char>(random());
  mutate(&tree, random);
  return out + json_text(tree);
}

std::string changed_bytes(std::string input, Random& random) {
  for (unsigned left = 1 + static_cast<unsigned>(random() % 4); left > 0 && !input.empty(); --left) {
    const size_t at = random() % input.size();
    switch (random() % 4) {
      case 0: input[at] = static_cast<char>(random()); break;
      case 1: input.erase(at, 1 + random() % 8); break;
      case 2: input.insert(at, input.substr(random() % input.size(), 1 + random() % 32)); break;
      default: input[at] = static_cast<char>(input[at] ^ (1 << random() % 8));
    }
  }
  return input;
}

/// The input that runs is in OUT/running: after a crash, it is the one.
int run_randomly(double seconds, const Target& target, const std::vector<fs::path>& files, const fs::path& out) {
  fs::create_directories(out);
  std::vector<std::string> inputs;
  for (const fs::path& path : files) inputs.push_back(content_of(path));
  if (inputs.empty()) return 2;
  Random random(static_cast<unsigned>(std::chrono::steady_clock::now().time_since_epoch().count() % 1'000'000'007));
  const auto start = std::chrono::steady_clock::now();
  uint64_t runs = 0, failed = 0;
  while (std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() < seconds) {
    std::string input = inputs[random() % inputs.size()];
    switch (target.form) {
      case Form::program: input = changed<fluid2onnx::framework::ProgramDesc>(input, random); break;
      case Form::model: input = changed<fluid2onnx::fuzz::onnx::Model>(input, random); break;
      case Form::json: input = changed_json(input, random); break;
      case Form::bytes: input = changed_bytes(std::move(input), random); break;
    }
    std::ofstream(out / "running", std::ios::binary) << input;
    const auto before = std::chrono::steady_clock::now();
    const std::string problem = run(target, input);
    const double took = std::chrono::duration<double>(std::chrono::steady_clock::now() - before).count();
    ++runs;
    if (took > 10) std::ofstream(out / ("slow-" + std::to_string(runs)), std::ios::binary) << input;
    if (problem.empty()) continue;
    ++failed;
    const std::string name = std::string(target.name) + "-" + std::to_string(std::hash<std::string>()(input));
    std::ofstream(out / name, std::ios::binary) << input;
    std::cout << name << ": " << problem << "\n" << std::flush;
  }
  std::cout << runs << " executions, " << failed << " findings\n";
  return failed == 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  google::protobuf::SetLogHandler(nullptr);
  std::vector<std::string> arguments(argv + 1, argv + argc);
  if (arguments.size() > 2 && arguments[0] == "--models") {
    kept_models() = arguments[1];
    fs::create_directories(kept_models());
    arguments.erase(arguments.begin(), arguments.begin() + 2);
  }
  if (arguments.size() == 5 && arguments[0] == "--random") {
    const Target* target = find_target(arguments[2]);
    return target != nullptr ? run_randomly(std::stod(arguments[1]), *target, files_of({arguments[3]}), arguments[4])
                             : 2;
  }
  return run_files(files_of(arguments));
}
