// Reads a Paddle model, converts it and writes the ONNX file. The header to start with: it includes no other library's.
#pragma once

#include <string>

#include "runtime/driver/convert_options.h"
#include "runtime/driver/report.h"
#include "runtime/write/weights.h"

namespace fluid2onnx {

struct FileOptions {
  std::string params;  ///< file or folder of the parameters; "": found beside the model
  Weights weights = Weights::automatic;
  bool check = true;     ///< by ONNX's checker, before the file appears
  size_t structure = 0;  ///< lines of Report::structure at most; 0: none
  bool sync = false;     ///< wait for the disk, so that the file survives a crash of the machine
};

/// Where the ONNX file goes if the user does not say: in the current folder, "resnet18.onnx" for
/// "dir/resnet18.pdmodel", "dir.onnx" for "dir/__model__" and for "dir".
std::string default_output(const std::string& model);

/// Nothing is written when the report has problems. Errors: those of open_model, convert_model and write_onnx.
Report convert_file(const std::string& model, const std::string& output, const ConvertOptions& options = {},
                    const FileOptions& files = {});

}  // namespace fluid2onnx
