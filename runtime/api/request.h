// JSON requests for a conversion or an inspection, from the Python package and from `fluid2onnx batch`.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "runtime/api/convert_file.h"

namespace fluid2onnx {

struct Request {
  std::string model, output;
  ConvertOptions options;
  FileOptions files;
  bool list_ops = false;
  std::vector<std::string> specs;  ///< files and folders of specs; the caller loads them
};

/// Reads options with the names of the command line, with underscores; null is the default:
///  {"model", "output", "params", "opset": n, "input_shapes": {NAME: [n or name or null] or "batch,3,?"},
///   "inputs": [NAME], "outputs": [NAME], "renames": {OLD: NEW}, "dim_names",
///   "lod": "lengths" | "single", "weights": "auto" | "inline" | "external" | "reference",
///   "precision": "float16" | "bfloat16", "half_io": bool, "float32_ops": [OP], "half_ops": [OP], "fuse": bool,
///   "sync": bool, "target": NAME, "specs": [FILE or FOLDER], "custom_ops": {TYPE: "DOMAIN::OP"},
///   "continue_on_error": bool;
///  of an inspection also "list_ops": bool, "find_opsets": bool, whether to try all opsets}
/// Other options are those of `base`. Throws E_USAGE with the member.
Request read_request(const nlohmann::json& members, const Request& base = {});

/// Parses `text`, the value of `option` ("--weights" or "weights"). Throws E_USAGE with the option.
Weights parse_weights(const std::string& text, const std::string& option);

}  // namespace fluid2onnx
