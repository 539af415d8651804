// What all commands print.
#pragma once

#include <exception>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "runtime/cli/arguments.h"
#include "runtime/report/exit_code.h"

namespace fluid2onnx::cli {

/// Prints an error of any kind to stderr, and as JSON where that is wanted. Gives the exit code. To be called while the
/// exception is handled.
int report_exception(const char* command, const JsonTarget& target);

/// Errors: E_WRITE.
void print_json(const nlohmann::json& value, const JsonTarget& target);

}  // namespace fluid2onnx::cli
