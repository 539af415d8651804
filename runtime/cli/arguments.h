// The command line, parsed. CLI11 takes ten seconds to compile: only arguments.cc includes it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "runtime/api/convert_file.h"

namespace fluid2onnx::cli {

/// What scripts can rely on.
enum : int {
  kDone = static_cast<int>(ExitCode::done),
  kCannotConvert = static_cast<int>(ExitCode::cannot_convert),
  kUsage = static_cast<int>(ExitCode::usage),
  kBadFile = static_cast<int>(ExitCode::bad_file),
};

/// Where a JSON report goes.
struct JsonTarget {
  bool wanted = false;
  std::string path;  ///< "-": stdout, which then has nothing else

  bool to_stdout() const { return wanted && path == "-"; }
};

struct Arguments {
  enum class Command { convert, inspect, ops, lint, spec_check, spec_examples, spec_functions };
  Command command = Command::convert;

  // convert and inspect
  std::string model;
  ConvertOptions options;
  FileOptions files;
  JsonTarget json;

  std::vector<std::string> specs;  ///< files and folders

  // spec check and spec examples
  std::vector<std::string> spec_files;

  // convert
  std::string output;
  std::string rest;  ///< the file of what the target refuses; empty: the model is not divided
  bool quiet = false;
  bool structure = false;

  // convert of many models
  bool recursive = false;
  std::string list;  ///< a file, or "-"
  int jobs = 0;      ///< 0: one for each processor
  bool resume = false;
  std::string many_key;  ///< the options that count for results, as given

  // convert --validate
  bool validate = false;
  std::string recorded_inputs, expected;  ///< .npz files
  std::vector<std::string> shapes;        ///< as given
  std::vector<std::string> custom_op_libraries;

  // inspect
  bool list_ops = false;
  std::string html;  ///< a page with the graph

  // ops and spec functions
  std::string op;

  // convert and lint
  std::string target;  ///< NAME[@VERSION]; lint: or "all"
};

/// Nothing if the output is complete (--help, --version, a wrong option); `exit_code` is then the program's.
std::optional<Arguments> parse_arguments(int argc, char** argv, int* exit_code);

}  // namespace fluid2onnx::cli
