#pragma once

#include <string>

#include "runtime/paddle/program/program.h"

namespace fluid2onnx {

struct OpenOptions {
  /// The file with all parameters, or the folder with one file per parameter. "": found beside the
  /// model (X.pdiparams, __params__, params, or files named like the parameters).
  std::string params_path;

  /// False: read the program only; `parameters` stays empty and no parameter file is looked for.
  bool load_parameters = true;

  /// False: a training program, which has no fetch ops, is no error (to inspect it).
  bool require_outputs = true;
};

/// Reads a model. `path` is the model file, the folder that holds it, or the common prefix of
/// X.pdmodel and X.pdiparams. The format is found by content, not by suffix.
///
/// Whatever the files contain, the only failure is an Error, with file, byte offset or block and op:
///   E_NOT_FOUND E_NOT_A_FILE E_IO     the file system's
///   E_NO_MODEL, E_MANY_MODELS         a folder without a model, or with several
///   E_NOT_A_MODEL                     some other kind of file (pickle, zip, ONNX, tensors ...)
///   E_TRAINING_PROGRAM                no fetch op
///   E_TRUNCATED, E_BAD_PROGRAM        a damaged model file
///   E_NO_PARAMS                       parameters are needed and not found
///   E_BAD_PARAMS, E_PARAM_MISMATCH    a damaged parameter file, or one of another model
///   E_UNSUPPORTED                     something valid that this reader does not do
Program open_model(const std::string& path, const OpenOptions& options = {});

}  // namespace fluid2onnx
