// Files of opspecs/ that the program contains, to check specs without a repository: the signatures of Paddle's
// operators, facts about versions of ONNX operators, and the library of functions.
#pragma once

#include <span>

namespace fluid2onnx::interpreter {

struct KnownFile {
  const char* path;  ///< below opspecs/
  const char* text;
};
std::span<const KnownFile> known_files();

}  // namespace fluid2onnx::interpreter
