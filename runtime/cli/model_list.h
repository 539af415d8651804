// Which models a run over many converts, and where each goes.
#pragma once

#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "runtime/api/request.h"

namespace fluid2onnx::cli {

struct Job {
  Request request;
  std::string name;   ///< for people: the model's path, below the folder that was searched
  std::string line;   ///< of the list, if it has options
  std::string error;  ///< why the line of the list is invalid; then only the name is set
};

/// Absolute and without "..": equal for two names of one file, except links.
std::filesystem::path normalized_path(const std::string& path);

/// Every model below the folder, sorted, Paddle's and ONNX's; a tree of the same form goes to the folder `output`.
/// Files with names of models are included without a look at their content: their errors are reported, too.
/// Outputs of conversions are skipped: `earlier` (normalized paths), and ONNX files beside the programs that become
/// them. Errors: E_NO_MODEL, E_IO.
std::vector<Job> find_models(const std::string& folder, const std::string& output, const Request& common,
                             const std::set<std::string>& earlier);

/// One model in each line of the file ("-": stdin), a path or a request in JSON (see request.h), whose members count
/// more than `common`; empty lines and those that begin with '#' are left out. Errors: E_NOT_FOUND, E_IO, E_NO_MODEL.
std::vector<Job> read_list(const std::string& list, const std::string& output, const Request& common);

}  // namespace fluid2onnx::cli
