#include "runtime/cli/signals.h"

#define WIN32_LEAN_AND_MEAN
#define NOMINMAX
#include <windows.h>

#include "runtime/files/output_file.h"

namespace fluid2onnx::cli {
namespace {

/// In a thread that the system starts.
BOOL WINAPI clean_up(DWORD) {
  remove_temporaries();
  return FALSE;  // the system's own handler ends the process
}

}  // namespace

void handle_signals() { ::SetConsoleCtrlHandler(clean_up, TRUE); }

}  // namespace fluid2onnx::cli
