// Writes rendered files.
#pragma once

#include <map>
#include <string>

namespace opgen {

/// Writes files below `directory`, only those whose content changes, and removes C++ in its generated/ that is not
/// among them. Returns how many changed. Throws std::runtime_error naming the path.
int write_files(const std::map<std::string, std::string>& files, const std::string& directory);

/// Replaces a file's contents by `text`, completely or not at all. False on failure.
bool replace_file(const std::string& path, const std::string& text);

}  // namespace opgen
