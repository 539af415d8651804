#include "generator/platform.h"

#define WIN32_LEAN_AND_MEAN
#define NOMINMAX
#include <windows.h>

#include <fcntl.h>
#include <io.h>
#include <process.h>

namespace opgen::platform {

void prepare_streams() {
  for (const int fd : {0, 1, 2}) ::_setmode(fd, _O_BINARY);
  ::SetConsoleOutputCP(CP_UTF8);
}

int become(const std::string& script, std::vector<std::string> arguments) {
  // Windows does not read a script's first line, and starts programs with one line for all arguments.
  arguments.insert(arguments.begin(), script);
  for (std::string& argument : arguments) argument = '"' + argument + '"';
  std::string python = "python";
  std::vector<char*> pointers{python.data()};
  for (std::string& argument : arguments) pointers.push_back(argument.data());
  pointers.push_back(nullptr);
  return static_cast<int>(::_spawnvp(_P_WAIT, python.c_str(), pointers.data()));
}

}  // namespace opgen::platform
