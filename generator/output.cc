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
  // C++ of specs that are gone. docs/ is left alone: people write there.
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(fs::path(directory) / "generated", error)) {
    const std::string extension = entry.path().extension().string();
    if ((extension != ".cc" && extension != ".h") || files.count("generated/" + entry.path().filename().string()) > 0)
      continue;
    if (fs::remove(entry.path(), error)) ++changed;
  }
  return changed;
}

bool replace_file(const std::string& path, const std::string& text) {
  std::error_code error;
  const fs::path target = fs::canonical(path, error);  // a link stays one
  if (error) return false;
  const fs::path fresh = target.string() + ".new";
  const bool written = static_cast<bool>((std::ofstream(fresh, std::ios::binary) << text).flush());
  if (written) {
    fs::permissions(fresh, fs::status(target, error).permissions(), error);
    fs::rename(fresh, target, error);
    if (!error) return true;
  }
  fs::remove(fresh, error);
  return false;
}

}  // namespace opgen
