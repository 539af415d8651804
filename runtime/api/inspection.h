// What a model consists of, and what of it cannot be converted.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "runtime/api/convert_file.h"
#include "runtime/paddle/program/program.h"
#include "runtime/report/cut.h"

namespace fluid2onnx {

struct Inspection {
  Program program;
  bool convertible = false;  ///< false: a training program, which can be looked at, but has no outputs to convert
  Report report;             ///< of a conversion at the opset that was asked for; nothing is written
  std::vector<int> opsets;   ///< that convert the model
  Cut cut;                   ///< of a model that cannot be converted
};

/// Parameters whose files are not there are taken to be zeros, with a warning. Errors: those of open_model and
/// convert_model.
Inspection inspect_file(const std::string& model, const ConvertOptions& options = {}, const FileOptions& files = {});

/// describe_json() of the program, and "conversion" (report_json(), or null), "lowest_opset": n or null, "opsets": [n],
/// "cut": {"outputs": [name], "operators": n, "of": n} or null.
nlohmann::json inspection_json(const Inspection& inspection);

}  // namespace fluid2onnx
