// Inputs and outputs of an ONNX model as the user wants them.
#pragma once

#include <map>
#include <string>

#include "runtime/onnx/read/open_model.h"
#include "runtime/report/convert_options.h"

namespace fluid2onnx {

/// Does to the model what the options ask of its inputs and outputs: cuts it, then gives inputs other shapes, then
/// inputs and outputs other names. Options call values as the file does. Nodes that no output of a cut model needs are
/// gone. Errors: E_USAGE, E_NO_VALUE.
void apply_input_output_options(const ConvertOptions& options, OnnxFile* onnx);

/// The names that values had in the file, by those that they have now.
using OldNames = std::map<std::string, std::string, std::less<>>;
OldNames old_names(const ConvertOptions& options);

}  // namespace fluid2onnx
