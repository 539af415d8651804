// A model in two files: one for an engine, and one with what the engine refuses.
#pragma once

#include <optional>
#include <string>

#include "runtime/api/convert_file.h"

namespace fluid2onnx {

struct DividedReport {
  Report front;                ///< of the file for the target
  std::optional<Report> rest;  ///< of the other file; none if the target runs the whole model, or it was not divided
};

/// convert_either() for `options.target`. If that refuses nodes, writes only the nodes before them to `output`, and the
/// others to `rest`, for ONNX Runtime. If the model cannot be divided, or the rest cannot be written, `output` has the
/// whole model. Errors: those of convert_either(); E_USAGE without a target, with inputs or renames, or if `rest` is
/// `output` or not named X.onnx; E_WRITE if the folder of `rest` does not exist.
DividedReport convert_divided(const std::string& model, const std::string& output, const std::string& rest,
                              const ConvertOptions& options, const FileOptions& files = {});

}  // namespace fluid2onnx
