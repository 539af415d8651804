#include "runtime/cli/process.h"

#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>

#include "runtime/cli/arguments.h"
#include "runtime/support/error.h"

namespace fluid2onnx::cli {
namespace {

constexpr int kShellNotFound = 127;

}  // namespace

const char kPathSeparator = ':';

std::string python() {
  const char* named = std::getenv("FLUID2ONNX_PYTHON");
  return named && *named ? named : "python3";
}

int exec_program(std::vector<std::string> words) {
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  ::execvp(pointers[0], pointers.data());
  return kNotStarted;
}

int run_and_wait(std::vector<std::string> words, std::string* output) {
  int ends[2] = {-1, -1};
  if (output && ::pipe(ends) != 0) throw Error(E_IO, "cannot make a pipe");
  const pid_t child = ::fork();
  if (child < 0) throw Error(E_MEMORY, "cannot start another process");
  if (child == 0) {
    if (output) {
      ::dup2(ends[1], STDOUT_FILENO);
      ::close(ends[0]);
      ::close(ends[1]);
    }
    exec_program(std::move(words));
    std::_Exit(kShellNotFound);
  }
  if (output) {
    ::close(ends[1]);
    char part[4096];
    for (ssize_t got = 0; (got = ::read(ends[0], part, sizeof part)) > 0;)
      output->append(part, static_cast<size_t>(got));
    ::close(ends[0]);
  }
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (!WIFEXITED(status)) return kBadFile;
  return WEXITSTATUS(status) == kShellNotFound ? kNotStarted : WEXITSTATUS(status);
}

void set_variable(const char* name, const std::string& value, bool replace) {
  ::setenv(name, value.c_str(), replace ? 1 : 0);
}

}  // namespace fluid2onnx::cli
