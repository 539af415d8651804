// The table of operations for the interpreter: those of check/builtins.cc and check/operations.cc as functions, so that
// compiled and interpreted recipes run the same code.
#pragma once

#include <nlohmann/json.hpp>

namespace opgen::cpp {

nlohmann::json operations_data();

}  // namespace opgen::cpp
