// Error codes by their names, as specs give them.
#pragma once

#include <optional>
#include <string>

#include "generator/diagnostics/diagnostics.h"
#include "generator/diagnostics/text.h"
#include "runtime/support/error_code.h"

namespace fluid2onnx::interpreter {

inline std::optional<ErrorCode> find_code(const std::string& name) {
  for (const ErrorCodeInfo& row : kErrorCodes)
    if (row.name == name) return row.code;
  return std::nullopt;
}

inline void unknown_code(const std::string& name, const opgen::Span& place, opgen::Diagnostics& diagnostics,
                         const std::string& remedy = "") {
  diagnostics.error("unknown-code", place,
                    "unknown error code '" + name + "'" + opgen::did_you_mean(name, opgen::names_of(kErrorCodes)),
                    "see the list of codes in the guide" + remedy);
}

}  // namespace fluid2onnx::interpreter
