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

/// Hands the arguments after the command's name to the Python package. Comes back only when that fails.
int validate(int argc, char** argv);

/// The page of `inspect --html`, which the Python package makes. Gives the exit code.
int page(const Arguments& arguments);

/// `spec check`, `spec test` and `spec examples`.
int spec(int argc, char** argv);

/// The environment in which Python finds the package, and the package this program.
void tell_python_of_this_program();

/// Compares the model that was converted. Gives the exit code, and with `json` the answer of `validate --json`.
int validate(const Arguments& arguments, const std::string& onnx, nlohmann::json* json);

/// Likewise: packs what a report of a bug needs.
int report(int argc, char** argv);

/// Converts one model per line of stdin: tests/conformance/README.md describes it.
int batch();

}  // namespace fluid2onnx::cli
