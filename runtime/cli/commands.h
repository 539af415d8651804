// One function per command. Each gives the exit code.
#pragma once

#include "runtime/cli/arguments.h"

namespace fluid2onnx::cli {

int convert(const Arguments& arguments);
int inspect(const Arguments& arguments);
int ops(const Arguments& arguments);

/// Hands the arguments after the command's name to the Python package. Comes back only when that fails.
int validate(int argc, char** argv);

/// Converts one model per line of stdin: tests/conformance/README.md describes it.
int batch();

}  // namespace fluid2onnx::cli
