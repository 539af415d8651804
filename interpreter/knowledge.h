// What specs are checked against, without the repository: the signatures of Paddle's operators, what ONNX's versions
// mean, and the library of functions. The program holds these files of opspecs/ as they are.
#pragma once

#include <span>

namespace fluid2onnx::interpreter {

struct KnownFile {
  const char* path;  ///< below opspecs/
  const char* text;
};
std::span<const KnownFile> known_files();

}  // namespace fluid2onnx::interpreter
