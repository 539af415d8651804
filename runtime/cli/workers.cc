#include "runtime/cli/workers.h"

#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <map>
#include <memory>

#include "runtime/support/error.h"

namespace fluid2onnx::cli {
namespace {

struct Closer {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, Closer>;

struct Worker {
  size_t index;
  File answer;  ///< a file without a name: an answer of any size waits in it
};

[[noreturn]] void throw_system_error(const char* what) {
  throw Error(E_IO, std::string(what) + ": " + std::strerror(errno)).hint("use fewer --jobs");
}

[[noreturn]] void run_worker(std::FILE* answer, size_t index, const std::function<std::string(size_t)>& work) {
  const std::string text = work(index);
  const bool written = std::fwrite(text.data(), 1, text.size(), answer) == text.size() && std::fflush(answer) == 0;
  // Nothing of the parent's is flushed or taken apart a second time.
  std::_Exit(written ? EXIT_SUCCESS : EXIT_FAILURE);
}

std::string contents(std::FILE* file) {
  std::string text;
  if (std::fseek(file, 0, SEEK_SET) != 0) return text;
  char part[65536];
  for (size_t got = 0; (got = std::fread(part, 1, sizeof part, file)) > 0;) text.append(part, got);
  return text;
}

std::string failure_of(int status) {
  if (WIFEXITED(status)) {
    const int code = WEXITSTATUS(status);
    if (code == 0) return "";
    if (code == EXIT_FAILURE) return "could not leave its answer";
    return "ended with exit code " + std::to_string(code) + "; did a file become shorter while it was read?";
  }
  const int number = WTERMSIG(status);
  return "was ended by signal " + std::to_string(number) + " (" + strsignal(number) + ")";
}

}  // namespace

void run_workers(size_t count, size_t jobs, const std::function<std::string(size_t)>& work,
                 const std::function<void(size_t, Outcome)>& finished) {
  std::map<pid_t, Worker> workers;
  std::cout.flush();
  std::cerr.flush();
  for (size_t next = 0; next < count || !workers.empty();) {
    while (next < count && workers.size() < jobs) {
      File answer(std::tmpfile());
      if (!answer) throw_system_error("no temporary file");
      const pid_t child = ::fork();
      if (child < 0) throw_system_error("no process for the work");
      if (child == 0) run_worker(answer.get(), next, work);
      workers.emplace(child, Worker{next++, std::move(answer)});
    }
    int status = 0;
    const pid_t ended = ::waitpid(-1, &status, 0);
    if (ended < 0 && errno == EINTR) continue;
    if (ended < 0) throw_system_error("lost a process");
    const auto found = workers.find(ended);
    if (found == workers.end()) continue;
    Worker worker = std::move(found->second);
    workers.erase(found);
    finished(worker.index, {contents(worker.answer.get()), failure_of(status)});
  }
}

}  // namespace fluid2onnx::cli
