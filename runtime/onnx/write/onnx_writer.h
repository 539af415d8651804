// Writes a Model as an ONNX file. Weights go from where they are mapped to the output, one at a time.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "runtime/onnx/graph/graph.h"
#include "runtime/onnx/write/model_proto.h"
#include "runtime/onnx/write/weights.h"

namespace fluid2onnx {

struct WriteOptions {
  Weights weights = Weights::automatic;
  ModelText text;
  bool sync = false;  ///< wait until the disk has it all, so that it survives a crash of the machine
  std::function<void(uint64_t done, uint64_t total)> progress;  ///< receives the bytes written, now and then
  /// Above this many bytes a file cannot be read by protobuf.
  uint64_t most_inline_bytes = (uint64_t{1} << 31) - 1;
};

struct WriteResult {
  uint64_t model_bytes = 0;
  uint64_t data_bytes = 0;
  std::string data_path;   ///< empty when there is no second file
  uint64_t denormals = 0;  ///< weights that were replaced by 0: see DenormalFlush
};

/// The second file of a model: beside the model itself, not beside a link to it.
std::string data_path_of(const std::string& path);

/// Throws E_CHECK, E_WRITE, E_TOO_LARGE, E_REFERENCE; nothing is left behind then. The graph is complete: passes have
/// been run, the main graph is the current one. See commit_model() for what is seen while two files are named.
WriteResult write_onnx(const Model& model, const std::string& path, const WriteOptions& options = {});

}  // namespace fluid2onnx
