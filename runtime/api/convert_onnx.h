// Reads an ONNX file, converts it and writes Paddle's two files.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "runtime/api/convert_file.h"
#include "runtime/report/cut.h"

namespace fluid2onnx {

/// `output`: "x.pdmodel"; the parameters go to "x.pdiparams". Nothing is written if the report has problems. Options
/// that do not apply to ONNX models are refused. Errors: those of open_onnx and write_program; E_USAGE.
Report convert_onnx_file(const std::string& model, const std::string& output, const ConvertOptions& options = {},
                         const FileOptions& files = {});

/// "x.pdmodel" for "dir/x.onnx", in the current folder.
std::string default_program(const std::string& model);

/// A node as --ops lists it.
struct NodeLine {
  int depth = 0;  ///< of its graph within others
  int index = 0;
  std::string op, name;
  std::vector<std::string> inputs, outputs;
};

/// The contents of an ONNX model, and the nodes that cannot be converted.
struct OnnxInspection {
  std::string model;
  int ir_version = 0;
  int opset = 0;
  std::string producer;  ///< may be empty
  std::vector<Port> inputs, outputs;
  int64_t initializers = 0;
  uint64_t initializer_bytes = 0;
  std::vector<NodeLine> nodes;
  Report report;  ///< of a conversion; nothing is written
  Cut cut;        ///< of a model that cannot be converted
};

/// Errors: those of open_onnx; E_USAGE.
OnnxInspection inspect_onnx_file(const std::string& model, const ConvertOptions& options = {},
                                 const FileOptions& files = {});

/// With the members of inspection_json(); "format" is "onnx", and "opset", "ir_version" and "producer" are added.
nlohmann::json inspection_json(const OnnxInspection& inspection, bool list_ops);
/// For people; ends with a newline.
std::string inspection_text(const OnnxInspection& inspection, bool list_ops);

}  // namespace fluid2onnx
