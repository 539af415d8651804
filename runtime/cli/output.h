// What all commands print.
#pragma once

#include <exception>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "runtime/cli/arguments.h"
#include "runtime/report/report.h"
#include "runtime/support/error.h"

namespace fluid2onnx::cli {

/// The exit code of an error.
int exit_code(const Error& error);

/// 0 when all was converted, else by the gravest problem.
int exit_code(const Report& report);

/// Prints an error of any kind to stderr, and as JSON where that is wanted. Gives the exit code. To be called while the
/// exception is handled.
int report_exception(const char* command, const JsonTarget& target);

/// Errors: E_WRITE.
void print_json(const nlohmann::json& value, const JsonTarget& target);

}  // namespace fluid2onnx::cli
