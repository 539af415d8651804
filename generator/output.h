// Writes what opgen rendered.
#pragma once

#include <map>
#include <string>

namespace opgen {

/// Writes files below `directory`, only those whose content changes, and removes C++ in its generated/ that is not
/// among them. Returns how many changed. Throws std::runtime_error naming the path.
int write_files(const std::map<std::string, std::string>& files, const std::string& directory);

}  // namespace opgen
