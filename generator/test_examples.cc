#include "generator/test_examples.h"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <iostream>
#include <utility>

#include "generator/platform.h"

namespace opgen {

int test_examples(const Options& options, const char* program) {
  const std::string script = options.root + "/tests/conformance/run.py";
  std::vector<std::string> words{"--opgen", program, "--root", options.root};
  const std::filesystem::path converter = std::filesystem::path(program).parent_path() / "fluid2onnx";
  if (std::filesystem::exists(converter)) words.insert(words.end(), {"--fluid2onnx", converter.string()});
  if (options.opset != 0) words.insert(words.end(), {"--opset", std::to_string(options.opset)});
  words.emplace_back("--only");
  words.insert(words.end(), options.words.begin(), options.words.end());
  const int code = platform::become(script, std::move(words));
  if (code >= 0) return code;
  std::cerr << "opgen test: error: cannot run '" << script << "': " << std::strerror(errno) << "\n"
            << "  hint: run opgen in the repository, or name it with --root\n";
  return 2;
}

}  // namespace opgen
