// yaml-cpp's errors, worded for authors of specs.
#pragma once

#include <cstddef>
#include <string>

namespace opgen {

struct YamlError {
  std::string code;
  std::string message;
  std::string help;
};

/// `message` is yaml-cpp's, and `at` its byte in the source.
YamlError explain_yaml_error(const std::string& message, const std::string& source, size_t at);

YamlError anchor_error();
YamlError alias_error();
YamlError open_quote_error();

}  // namespace opgen
