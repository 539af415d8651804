// The ONNX file of a model as bytes.
#pragma once

#include <string>

#include "runtime/onnx/write/onnx_writer.h"
#include "tests/runtime/temporary_folder.h"

namespace fluid2onnx::test {

/// What write_onnx writes, with the weights in the same file.
inline std::string onnx_bytes(const Model& model, WriteOptions options = {}) {
  const TemporaryFolder folder;
  options.weights = Weights::inlined;
  write_onnx(model, folder / "model.onnx", options);
  return folder.read("model.onnx");
}

}  // namespace fluid2onnx::test
