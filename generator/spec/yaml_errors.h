// What yaml-cpp says about broken YAML, in the words of somebody who writes specs.
#pragma once

#include <cstddef>
#include <string>

namespace opgen {

struct YamlError {
  std::string code;
  std::string message;
  std::string help;
};

/// `message` is what yaml-cpp says, and `at` the byte of the source where it does.
YamlError explain_yaml_error(const std::string& message, const std::string& source, size_t at);

YamlError anchor_error();
YamlError alias_error();
YamlError open_quote_error();

}  // namespace opgen
