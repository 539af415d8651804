// The ONNX file of a model as bytes.
#pragma once

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "runtime/onnx/write/onnx_writer.h"

namespace fluid2onnx::test {

/// What write_onnx writes, with the weights in the same file.
inline std::string onnx_bytes(const Model& model, WriteOptions options = {}) {
  struct Temporary {
    std::string path = (std::filesystem::temp_directory_path() / "fluid2onnx_test_XXXXXX").string();
    Temporary() { ::close(::mkstemp(path.data())); }
    ~Temporary() { std::remove(path.c_str()); }
  } const file;
  options.weights = Weights::inlined;
  write_onnx(model, file.path, options);
  std::ostringstream bytes;
  bytes << std::ifstream(file.path, std::ios::binary).rdbuf();
  return bytes.str();
}

}  // namespace fluid2onnx::test
