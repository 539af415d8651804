// Applies --inputs, --outputs, --input-shape and --rename to an ONNX model.
#pragma once

#include <map>
#include <string>

#include "runtime/onnx/read/open_model.h"
#include "runtime/report/convert_options.h"

namespace fluid2onnx {

/// Cuts the model, then sets the shapes of inputs, then renames inputs and outputs. All options use the names in the
/// file. Removes nodes that no output of a cut model needs. Errors: E_USAGE, E_NO_VALUE.
void apply_input_output_options(const ConvertOptions& options, OnnxFile* onnx);

/// The names that values had in the file, by those that they have now.
using OldNames = std::map<std::string, std::string, std::less<>>;
OldNames old_names(const ConvertOptions& options);

}  // namespace fluid2onnx
