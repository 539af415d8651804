// Other programs, such as Python.
#pragma once

#include <string>
#include <vector>

namespace fluid2onnx::cli {

/// The exit code of `exec_program` and `run_and_wait` when the program cannot be started.
constexpr int kNotStarted = -1;

/// The interpreter that runs the Python package: $FLUID2ONNX_PYTHON, or the usual name.
std::string python();

/// Runs a program instead of this one. Where systems cannot do that, and when it cannot be started, this comes back
/// with the exit code.
int exec_program(std::vector<std::string> words);

/// Runs a program to its end, and gives its exit code; what it prints goes to `output`, if that is not null. Errors:
/// E_IO, E_MEMORY.
int run_and_wait(std::vector<std::string> words, std::string* output);

/// Sets a variable of the environment; one that is set already stays as it is, unless `replace`.
void set_variable(const char* name, const std::string& value, bool replace);

/// Between the folders of a list in the environment.
extern const char kPathSeparator;

}  // namespace fluid2onnx::cli
