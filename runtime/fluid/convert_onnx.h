// Reads an ONNX file, converts it and writes Paddle's two files.
#pragma once

#include <string>

#include "runtime/driver/convert_options.h"
#include "runtime/driver/report.h"

namespace fluid2onnx {

/// True for a file that is an ONNX model by its name: `model.onnx`.
bool is_onnx_path(const std::string& path);

/// `output`: "x.pdmodel"; the parameters go to "x.pdiparams". Nothing is written when the report has problems. Errors:
/// those of open_onnx and write_program.
Report convert_onnx_file(const std::string& model, const std::string& output, const ConvertOptions& options = {});

/// "x.pdmodel" for "dir/x.onnx", in the current folder.
std::string default_program(const std::string& model);

}  // namespace fluid2onnx
