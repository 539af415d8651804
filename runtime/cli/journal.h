// The journal of `convert --list` and `-r`, which --resume reads.
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "runtime/cli/model_list.h"

namespace fluid2onnx::cli {

/// One line of JSON for each converted model: the request, and the sizes and times of its files. Each line is written
/// at once, so a killed run leaves complete lines.
class Journal {
 public:
  /// `options`: of the command line; models that were converted with others are not done. Without `resume`, the file is
  /// emptied. Errors: E_WRITE.
  Journal(const std::string& path, std::string options, bool resume);
  ~Journal();
  Journal(const Journal&) = delete;
  Journal& operator=(const Journal&) = delete;

  /// True if this version converted it with the same options, and neither its files nor the result have changed.
  bool done(const Job& job) const;
  /// `report`: of a conversion that worked, as report_json() has it. Errors: E_WRITE.
  void add(const Job& job, const nlohmann::json& report);

  /// What runs with this journal have written, as normalized paths; nothing if there is no such file. The folder may
  /// have been moved since.
  static std::set<std::string> results(const std::string& path);

 private:
  nlohmann::json asked(const Job& job) const;

  std::string path_, options_;
  std::map<std::string, nlohmann::json> entries_;  ///< by output
  int fd_ = -1;
};

}  // namespace fluid2onnx::cli
