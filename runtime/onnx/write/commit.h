// Gives finished files their names.
#pragma once

#include <string>

#include "runtime/files/output_file.h"

namespace fluid2onnx {

/// `data`, which may be null, holds the weights of `model`; their paths are `data_path` and `model_path`.
///
/// At no moment a model is seen beside the weights of another: where the model that was there has its weights under
/// the same name, it goes before they do. What is left of its weights goes with it. Whatever else has the name of the
/// data file is replaced, as the model is.
void commit(OutputFile* model, const std::string& model_path, OutputFile* data, const std::string& data_path);

/// True if the file is an ONNX model with weights in the file `location` beside it.
bool refers_to(const std::string& model_path, const std::string& location);

}  // namespace fluid2onnx
