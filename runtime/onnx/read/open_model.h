// An ONNX file, read without its weights.
#pragma once

#include <onnx/onnx_pb.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "runtime/support/mapped_file.h"

namespace fluid2onnx {

/// Of a model whose tensors are where they were: in the mapped file, or in files beside it. See tensor_of().
struct OnnxFile {
  std::string path;
  std::shared_ptr<const MappedFile> file;

  /// The contents of the file, except:
  ///  - the data of each large tensor (over a kilobyte) has been left in the file: its data_location is EXTERNAL, and
  ///    its location kInModel;
  ///  - local functions are inlined;
  ///  - nodes are sorted topologically, and each name has one producer;
  ///  - the default domain is "", and initializers are not among the inputs;
  ///  - training information is removed.
  onnx::ModelProto model;

  std::map<std::string, int, std::less<>> opsets;  ///< by domain; the default one is ""
  int opset() const { return opsets.find("")->second; }

  std::vector<std::string> warnings;  ///< what the user should know although reading went well

  /// Files with tensors, by location: those that were asked for.
  std::map<std::string, std::shared_ptr<const MappedFile>, std::less<>> data;
};

/// The location of data that is in the model's own file.
inline constexpr char kInModel[] = "*";

/// Whatever the file contains, the only failure is an Error:
///   E_NOT_FOUND E_NOT_A_FILE E_IO   the file system's
///   E_NOT_A_MODEL                   something else than an ONNX model
///   E_TRUNCATED, E_BAD_PROGRAM      a damaged one
///   E_TOO_LARGE                     out of all proportion
///   E_UNSUPPORTED                   a version that is too old, or not known
/// Tensors are read on demand.
OnnxFile open_onnx(const std::string& path);

}  // namespace fluid2onnx
