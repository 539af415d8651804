#include "generator/platform.h"

#include <unistd.h>

namespace opgen::platform {

void prepare_streams() {}

int become(const std::string& script, std::vector<std::string> arguments) {
  std::string name = script;
  std::vector<char*> pointers{name.data()};
  for (std::string& argument : arguments) pointers.push_back(argument.data());
  pointers.push_back(nullptr);
  return ::execv(script.c_str(), pointers.data());
}

}  // namespace opgen::platform
