#include "runtime/report/exit_code.h"

#include <algorithm>

namespace fluid2onnx {

ExitCode exit_code_of(const Error& error) { return code_info(error.code()).exit; }

ExitCode exit_code_of(const Report& report) {
  if (report.ok) return report.incomplete() ? ExitCode::cannot_convert : ExitCode::done;
  ExitCode worst = ExitCode::done;
  for (const Problem& p : report.problems) {
    if (!p.behind) worst = std::max(worst, code_info(p.code).exit);
  }
  return worst;
}

}  // namespace fluid2onnx
