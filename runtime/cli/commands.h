// One function per command. Each gives the exit code.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "runtime/cli/arguments.h"

namespace fluid2onnx::cli {

int convert(const Arguments& arguments);
/// With --recursive or --list.
int convert_many(const Arguments& arguments);
int inspect(const Arguments& arguments);
int ops(const Arguments& arguments);
int lint(const Arguments& arguments);
int spec_check(const Arguments& arguments);
int spec_examples(const Arguments& arguments);
int spec_functions(const Arguments& arguments);

/// Hands the arguments after the command's name to the Python package. Comes back only when that fails.
int validate(int argc, char** argv);

/// The page of `inspect --html`, which the Python package makes. Gives the exit code.
int page(const Arguments& arguments);

/// Runs a module of the Python package. Instead of this process, unless it is to `wait`: then the module's output goes
/// to `output`, if that is not null. Returns the exit code.
int run_python(const char* module, const std::vector<std::string>& arguments, bool wait = false,
               std::string* output = nullptr);

/// Compares the model that was converted. Gives the exit code, and with `json` the answer of `validate --json`.
int validate(const Arguments& arguments, const std::string& onnx, nlohmann::json* json);

/// Likewise: packs what a report of a bug needs.
int report(int argc, char** argv);

/// Converts one model per line of stdin: tests/conformance/README.md describes it.
int batch();

}  // namespace fluid2onnx::cli
