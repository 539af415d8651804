// Reads a Paddle model, converts it and writes the ONNX file. Start with this header: it needs no other library.
#pragma once

#include <string>

#include "runtime/report/convert_options.h"
#include "runtime/report/file_options.h"
#include "runtime/report/report.h"

namespace fluid2onnx {

/// The default path of the ONNX file, in the current folder: "resnet18.onnx" for "dir/resnet18.pdmodel", "dir.onnx"
/// for "dir/__model__" and for "dir".
std::string default_output(const std::string& model);

/// Writes nothing if the report has problems. Throws the errors of open_model, convert_model and write_onnx.
Report convert_file(const std::string& model, const std::string& output, const ConvertOptions& options = {},
                    const FileOptions& files = {});

}  // namespace fluid2onnx
