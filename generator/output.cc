#include "generator/output.h"

#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>

namespace opgen {
namespace fs = std::filesystem;

int write_files(const std::map<std::string, std::string>& files, const std::string& directory) {
  int changed = 0;
  for (const auto& [name, text] : files) {
    const fs::path path = fs::path(directory) / name;
    std::ifstream in(path, std::ios::binary);
    std::stringstream old;
    old << in.rdbuf();
    if (in && old.str() == text) continue;
    std::error_code error;
    fs::create_directories(path.parent_path(), error);
    std::ofstream out(path, std::ios::binary);
    out << text;
    if (!out.flush()) throw std::runtime_error("cannot write '" + path.string() + "'");
    ++changed;
  }
  return changed;
}

}  // namespace opgen
