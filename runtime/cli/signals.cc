#include "runtime/cli/signals.h"

#include <signal.h>
#include <unistd.h>

#include "runtime/cli/arguments.h"
#include "runtime/files/output_file.h"

namespace fluid2onnx::cli {
namespace {

extern "C" void clean_up_and_end(int number) {
  remove_temporaries();
  // SA_RESETHAND has restored what the signal does by itself.
  ::raise(number);
}

/// A page of a mapped file is gone: another process has made the file shorter.
extern "C" void report_lost_pages(int number, siginfo_t* info, void*) {
  remove_temporaries();
  if (info->si_code != BUS_ADRERR) {
    ::raise(number);
    return;
  }
  constexpr char kText[] = "fluid2onnx: error: a file has become shorter while it was read [E_IO]\n";
  if (::write(STDERR_FILENO, kText, sizeof kText - 1) < 0) ::_exit(kBadFile);
  ::_exit(kBadFile);
}

}  // namespace

void handle_signals() {
  struct sigaction action {};
  action.sa_handler = clean_up_and_end;
  action.sa_flags = static_cast<int>(SA_RESETHAND);
  sigemptyset(&action.sa_mask);
  for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGQUIT}) {
    struct sigaction before;
    // nohup and shells tell their children to ignore some: leave it so.
    if (::sigaction(number, nullptr, &before) == 0 && before.sa_handler == SIG_IGN) continue;
    ::sigaction(number, &action, nullptr);
  }
  ::signal(SIGXFSZ, SIG_IGN);
  struct sigaction lost {};
  lost.sa_sigaction = report_lost_pages;
  lost.sa_flags = static_cast<int>(SA_RESETHAND) | SA_SIGINFO;
  sigemptyset(&lost.sa_mask);
  ::sigaction(SIGBUS, &lost, nullptr);
}

}  // namespace fluid2onnx::cli
