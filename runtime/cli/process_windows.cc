#include "runtime/cli/process.h"

#define WIN32_LEAN_AND_MEAN
#define NOMINMAX
#include <windows.h>

#include <cstdlib>
#include <filesystem>
#include <utility>

#include "runtime/cli/arguments.h"
#include "runtime/support/error.h"

namespace fluid2onnx::cli {
namespace {

/// One command line, which the started program takes apart again by the rules of Microsoft's C runtime.
std::string command_line(const std::vector<std::string>& words) {
  std::string line;
  for (const std::string& word : words) {
    line += line.empty() ? "\"" : " \"";
    size_t backslashes = 0;
    for (const char c : word) {
      // Backslashes count double before a quote only.
      if (c == '"') line.append(backslashes + 1, '\\');
      backslashes = c == '\\' ? backslashes + 1 : 0;
      line += c;
    }
    line.append(backslashes, '\\');
    line += '"';
  }
  return line;
}

}  // namespace

const char kPathSeparator = ';';

std::string python() {
  const char* named = std::getenv("FLUID2ONNX_PYTHON");
  return named && *named ? named : "python";
}

int exec_program(std::vector<std::string> words) { return run_and_wait(std::move(words), nullptr); }

int run_and_wait(std::vector<std::string> words, std::string* output) {
  STARTUPINFOW start{};
  start.cb = sizeof start;
  HANDLE read = nullptr, write = nullptr;
  if (output) {
    SECURITY_ATTRIBUTES inherited{sizeof inherited, nullptr, TRUE};
    if (!::CreatePipe(&read, &write, &inherited, 0)) throw Error(E_IO, "cannot make a pipe");
    ::SetHandleInformation(read, HANDLE_FLAG_INHERIT, 0);
    start.dwFlags = STARTF_USESTDHANDLES;
    start.hStdInput = ::GetStdHandle(STD_INPUT_HANDLE);
    start.hStdOutput = write;
    start.hStdError = ::GetStdHandle(STD_ERROR_HANDLE);
  }
  PROCESS_INFORMATION child{};
  std::wstring line = std::filesystem::path(command_line(words)).native();
  const bool started =
      ::CreateProcessW(nullptr, line.data(), nullptr, nullptr, TRUE, 0, nullptr, nullptr, &start, &child) != 0;
  if (write) ::CloseHandle(write);
  if (started && read) {
    char part[4096];
    for (DWORD got = 0; ::ReadFile(read, part, sizeof part, &got, nullptr) && got > 0;) output->append(part, got);
  }
  if (read) ::CloseHandle(read);
  if (!started) return kNotStarted;
  ::WaitForSingleObject(child.hProcess, INFINITE);
  DWORD code = kBadFile;
  ::GetExitCodeProcess(child.hProcess, &code);
  ::CloseHandle(child.hThread);
  ::CloseHandle(child.hProcess);
  return static_cast<int>(code & 0x7fffffff);
}

void set_variable(const char* name, const std::string& value, bool replace) {
  if (replace || !std::getenv(name)) ::_putenv_s(name, value.c_str());
}

}  // namespace fluid2onnx::cli
