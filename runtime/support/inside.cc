#include "runtime/support/inside.h"

#include <filesystem>

#include "runtime/support/limits.h"

namespace fluid2onnx {
namespace {

namespace fs = std::filesystem;

bool is_within(const fs::path& path, const fs::path& folder) {
  const fs::path way = path.lexically_relative(folder);
  return !way.empty() && *way.begin() != "..";
}

}  // namespace

bool is_name_inside(const std::string& name) {
  if (name.empty() || name.size() > limits::kLocationBytes || name.find('\0') != std::string::npos) return false;
  const fs::path relative(name);
  bool inside = !relative.has_root_path();  // on Windows, "C:x" and "\x" are relative, too
  for (const auto& part : relative) inside = inside && part != "..";
  return inside;
}

bool leads_inside(const std::string& path, const std::string& folder, const std::string& model) {
  std::error_code error;
  const fs::path real = fs::canonical(path, error);
  const fs::path real_folder = fs::canonical(folder.empty() ? "." : folder, error);
  const fs::path folder_of_real = fs::canonical(model, error).parent_path();
  return is_within(real, real_folder) || is_within(real, folder_of_real);
}

}  // namespace fluid2onnx
