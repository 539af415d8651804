// Gives finished files their names.
#pragma once

#include <string>

#include "runtime/files/output_file.h"

namespace fluid2onnx {

/// `data`, which may be null, holds the weights of `model`; their paths are `data_path` and `model_path`.
///
/// A model is never visible beside the weights of another: an old model that uses the same data file is removed before
/// the data file is replaced, and an old data file that the new model does not use is removed after.
void commit_model(OutputFile* model, const std::string& model_path, OutputFile* data, const std::string& data_path);

/// True if the file is an ONNX model with weights in the file `location` beside it.
bool refers_to(const std::string& model_path, const std::string& location);

}  // namespace fluid2onnx
