#include "runtime/cli/signals.h"

#define WIN32_LEAN_AND_MEAN
#define NOMINMAX
#include <windows.h>

#include "runtime/files/output_file.h"

namespace fluid2onnx::cli {
namespace {

constexpr UINT kControlC = 0xC000013A;  // STATUS_CONTROL_C_EXIT: a batch file then stops, too

/// In a thread that the system starts. Other threads run until the process ends, so it ends at once.
BOOL WINAPI clean_up_and_end(DWORD) {
  remove_temporaries();
  return ::TerminateProcess(::GetCurrentProcess(), kControlC);
}

}  // namespace

void handle_signals() { ::SetConsoleCtrlHandler(clean_up_and_end, TRUE); }

}  // namespace fluid2onnx::cli
