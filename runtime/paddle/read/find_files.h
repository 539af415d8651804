#pragma once

#include <string>
#include <vector>

namespace fluid2onnx {

/// The model file that a user means by `path`: a file, a folder that holds one model, or the prefix
/// of X.pdmodel or X.json. A file is returned as it is, whatever it contains.
/// Errors: E_NOT_FOUND, E_NO_MODEL, E_MANY_MODELS.
std::string find_model_file(const std::string& path);

/// Where the parameters are, and their layout: one combined file, or the separate layout, a folder with one file per
/// parameter. For another layout, make `separate` an enum, find its files in find_parameters(), read them in
/// parameter_file.cc, and choose that reader in load_parameters() (open_model.cc).
struct ParameterLocation {
  std::string path;
  bool separate = false;
};

/// `given` is the user's choice or "". Otherwise looks beside the model: X.pdiparams for X.pdmodel,
/// X.json and X, then __params__, params, then files named like the parameters.
/// `names` are the parameters' names, at least one. Errors: E_NOT_FOUND, E_NO_PARAMS.
ParameterLocation find_parameters(const std::string& model_file, const std::string& given,
                                  const std::vector<std::string>& names);

}  // namespace fluid2onnx
