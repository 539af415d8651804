#include "runtime/report/exit_code.h"

#include <algorithm>

namespace fluid2onnx {

int exit_code(const Error& error) { return static_cast<int>(code_info(error.code()).exit); }

int exit_code(const Report& report) {
  if (report.ok) return static_cast<int>(report.incomplete() ? ExitCode::cannot_convert : ExitCode::done);
  ExitCode worst = ExitCode::done;
  for (const Problem& p : report.problems) {
    if (!p.behind) worst = std::max(worst, code_info(p.code).exit);
  }
  return static_cast<int>(worst);
}

}  // namespace fluid2onnx
