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
  std::string error;  ///< why the line of the list cannot be carried out; the rest is then empty but for the name
};

/// Absolute and without "..": two names of one file are equal, but for links.
std::filesystem::path plain(const std::string& path);

/// Every model below the folder, sorted, Paddle's and ONNX's; a tree of the same form goes to the folder `output`.
/// Files that are called like models are taken whatever they hold: their errors are reported like those of others.
/// Outputs of conversions are skipped: `earlier`, plain, and ONNX files beside the programs that become them. Errors:
/// E_NO_MODEL, E_IO.
std::vector<Job> find_models(const std::string& folder, const std::string& output, const Request& common,
                             const std::set<std::string>& earlier);

/// One model in each line of the file ("-": stdin), a path or a request in JSON (see request.h), whose members count
/// more than `common`; empty lines and those that begin with '#' are left out. Errors: E_NOT_FOUND, E_IO, E_NO_MODEL.
std::vector<Job> read_list(const std::string& list, const std::string& output, const Request& common);

}  // namespace fluid2onnx::cli
