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

/// Whether the last two parts of a path have a hash ("ab/0123...", "SHA256-s4--0123..."): a foreign model cannot guess
/// such a name.
bool has_hash(const fs::path& real) {
  constexpr size_t kShortest = 32;  // digits of MD5
  const std::string name = real.parent_path().filename().generic_string() + real.filename().generic_string();
  size_t digits = 0;
  for (const char c : name) {
    digits = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') ? digits + 1 : 0;
    if (digits == kShortest) return true;
  }
  return false;
}

/// The folder that must also have the model if a link leads to `real`, in a store; empty elsewhere. A store belongs to
/// one repository, except DVC's shared caches.
fs::path store_of(const fs::path& real) {
  constexpr const char* kRepositoryStores[] = {"/.git/annex/objects/", "/.dvc/cache/"};
  constexpr const char* kShared = "/files/md5/";
  if (!has_hash(real)) return {};
  const std::string text = real.generic_string();
  for (const std::string store : kRepositoryStores) {
    const size_t at = text.find(store);
    if (at != std::string::npos) return text.substr(0, at);
  }
  const size_t at = text.find(kShared);
  return at == std::string::npos ? "" : text.substr(0, at) + "/files/md5";
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
  if (is_within(real, real_folder) || is_within(real, folder_of_real)) return true;
  const fs::path store = store_of(real);
  return !store.empty() && is_within(folder_of_real, store);
}

}  // namespace fluid2onnx
