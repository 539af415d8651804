// What the process exits with, and what callers in other languages find in "exit_status".
#pragma once

#include "runtime/report/report.h"
#include "runtime/support/error.h"

namespace fluid2onnx {

int exit_code(const Error& error);
/// Of the worst problem. Problems behind others do not count.
int exit_code(const Report& report);

}  // namespace fluid2onnx
