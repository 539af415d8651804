#include "runtime/cli/signals.h"

#include <signal.h>

#include "runtime/files/output_file.h"

namespace fluid2onnx::cli {
namespace {

extern "C" void clean_up_and_end(int number) {
  remove_temporaries();
  // SA_RESETHAND has restored what the signal does by itself.
  ::raise(number);
}

}  // namespace

void handle_signals() {
  struct sigaction action {};
  action.sa_handler = clean_up_and_end;
  action.sa_flags = static_cast<int>(SA_RESETHAND);
  ::sigemptyset(&action.sa_mask);
  for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGQUIT}) {
    struct sigaction before;
    // nohup and shells tell their children to ignore some: leave it so.
    if (::sigaction(number, nullptr, &before) == 0 && before.sa_handler == SIG_IGN) continue;
    ::sigaction(number, &action, nullptr);
  }
  ::signal(SIGXFSZ, SIG_IGN);
}

}  // namespace fluid2onnx::cli
