// What yaml-cpp says about broken YAML, in the words of somebody who writes specs.
#pragma once

#include <string>

namespace opgen {

struct YamlError {
  std::string code;
  std::string message;
  std::string help;
};

YamlError explain_yaml_error(const std::string& message);

}  // namespace opgen
