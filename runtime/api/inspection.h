// The contents of a model, and the operators that cannot be converted.
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
  bool convertible = false;  ///< false: a training program, which has no outputs to convert
  Report report;             ///< of a conversion at the requested opset; nothing is written
  std::vector<int> opsets;   ///< that convert the model
  Cut cut;                   ///< of a model that cannot be converted
};

/// Missing parameter files are replaced by zeros, with a warning. Errors: those of open_model and
/// convert_model.
Inspection inspect_file(const std::string& model, const ConvertOptions& options = {}, const FileOptions& files = {});

/// describe_json() of the program, and "conversion" (report_json(), or null), "lowest_opset": n or null, "opsets": [n],
/// "cut": {"outputs": [name], "operators": n, "of": n} or null; with `list_ops` also "op_list": ops_json() and
/// "variables": variables_json().
nlohmann::json inspection_json(const Inspection& inspection, bool list_ops);
/// For people; ends with a newline.
std::string inspection_text(const Inspection& inspection, const ConvertOptions& options, bool list_ops);

/// The member "cut" of inspections; `of`: operators of the whole model.
nlohmann::json cut_json(const Cut& cut, int64_t of);

}  // namespace fluid2onnx
