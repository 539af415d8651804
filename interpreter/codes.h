// Error codes by their names, as specs give them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "runtime/support/error_code.h"

namespace fluid2onnx::interpreter {

inline std::optional<ErrorCode> find_code(const std::string& name) {
  for (const ErrorCodeInfo& row : kErrorCodes)
    if (row.name == name) return row.code;
  return std::nullopt;
}

inline std::vector<std::string> code_names() {
  std::vector<std::string> names;
  for (const ErrorCodeInfo& row : kErrorCodes) names.emplace_back(row.name);
  return names;
}

}  // namespace fluid2onnx::interpreter
