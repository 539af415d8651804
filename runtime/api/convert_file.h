// Reads a Paddle model, converts it and writes the ONNX file. The header to start with: it includes no other library's.
#pragma once

#include <string>

#include "runtime/report/convert_options.h"
#include "runtime/report/file_options.h"
#include "runtime/report/report.h"

namespace fluid2onnx {

/// Where the ONNX file goes if the user does not say: in the current folder, "resnet18.onnx" for
/// "dir/resnet18.pdmodel", "dir.onnx" for "dir/__model__" and for "dir".
std::string default_output(const std::string& model);

/// Nothing is written when the report has problems. Errors: those of open_model, convert_model and write_onnx.
Report convert_file(const std::string& model, const std::string& output, const ConvertOptions& options = {},
                    const FileOptions& files = {});

}  // namespace fluid2onnx
