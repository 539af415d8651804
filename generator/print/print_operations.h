// The table by which an interpreter of the lowered form runs what the language can compute: the operations of
// check/builtins.cc and check/operations.cc as functions, so that compiled and interpreted recipes share each one.
#pragma once

#include <nlohmann/json.hpp>

namespace opgen::cpp {

nlohmann::json operations_data();

}  // namespace opgen::cpp
