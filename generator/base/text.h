// Small texts of messages and files.
#pragma once

#include <string>
#include <vector>

namespace opgen {

/// "a, b, c".
std::string joined(const std::vector<std::string>& words);

}  // namespace opgen
