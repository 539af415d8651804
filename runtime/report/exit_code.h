// What the process exits with, and what callers in other languages find in "exit_status".
#pragma once

#include "runtime/report/report.h"
#include "runtime/support/error.h"

namespace fluid2onnx {

ExitCode exit_code_of(const Error& error);
/// Of the worst problem. Problems behind others do not count.
ExitCode exit_code_of(const Report& report);

}  // namespace fluid2onnx
