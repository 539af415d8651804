#include <algorithm>
#include <atomic>
#include <filesystem>
#include <system_error>
#include <thread>

#include "generator/diagnostics/source.h"
#include "generator/spec/parse.h"
#include "generator/spec/spec.h"

namespace opgen {
namespace {

namespace fs = std::filesystem;

/// Sorted, so that messages and outputs do not depend on the file system.
std::vector<fs::path> yaml_files(const fs::path& root, Diagnostics& diagnostics) {
  std::vector<fs::path> files;
  std::error_code error;
  if (fs::is_regular_file(root, error)) return {root};
  fs::recursive_directory_iterator it(root, error);
  if (error) {
    Span nowhere;
    nowhere.file = std::make_shared<const SourceFile>(root.generic_string(), "");
    diagnostics.error("unreadable-file", nowhere,
                      error == std::errc::no_such_file_or_directory ? "no such file or folder"
                                                                    : "cannot read the folder: " + error.message());
    return files;
  }
  for (; it != fs::recursive_directory_iterator(); it.increment(error)) {
    const fs::path& path = it->path();
    if (it->is_directory() && it.depth() == 0 && (path.filename() == "facts" || path.filename() == "targets"))
      it.disable_recursion_pending();
    if (it->is_regular_file() && path.extension() == ".yaml") files.push_back(path);
  }
  std::sort(files.begin(), files.end());
  return files;
}

struct ReadFile {
  std::optional<YamlNode> root;
  Diagnostics diagnostics;
};

ReadFile read_file(const fs::path& path, const std::string& base) {
  ReadFile file;
  const std::string shown = path.lexically_proximate(base).generic_string();
  if (const Source source = load_source(path.string(), shown, file.diagnostics))
    file.root = read_yaml(source, file.diagnostics);
  return file;
}

/// yaml-cpp takes nearly all of the time that a check of all specs needs, so the files are read side by side.
std::vector<ReadFile> read_files(const std::vector<fs::path>& paths, const std::string& base) {
  std::vector<ReadFile> files(paths.size());
  std::atomic<size_t> next = 0;
  const auto work = [&] {
    for (size_t i = next++; i < paths.size(); i = next++) files[i] = read_file(paths[i], base);
  };
  const size_t helpers = std::min<size_t>({paths.size() / 8, std::thread::hardware_concurrency(), 8});
  std::vector<std::thread> threads;
  for (size_t i = 1; i < helpers; ++i) threads.emplace_back(work);
  work();
  for (std::thread& thread : threads) thread.join();
  return files;
}

template <typename Spec>
void refuse_twins(std::vector<Spec>& specs, const std::string& what, const Text Spec::*name, Diagnostics& diagnostics) {
  const auto word = [&](const Spec& spec) {
    const std::string& text = (spec.*name).text;
    return text.substr(0, text.find('('));
  };
  std::stable_sort(specs.begin(), specs.end(), [&](const Spec& a, const Spec& b) { return word(a) < word(b); });
  for (size_t i = 1; i < specs.size(); ++i) {
    if (word(specs[i]) != word(specs[i - 1]) || word(specs[i]).empty()) continue;
    diagnostics.error("duplicate-spec", specs[i].span, "the " + what + " '" + word(specs[i]) + "' has two specs")
        .notes.emplace_back(specs[i - 1].span, "first here");
  }
}

}  // namespace

std::vector<std::string> spec_files(const std::string& root, Diagnostics& diagnostics) {
  std::vector<std::string> files;
  for (const fs::path& path : yaml_files(root, diagnostics)) files.push_back(path.generic_string());
  return files;
}

void read_spec_file(const Source& source, SpecSet& specs, Diagnostics& diagnostics) {
  if (const std::optional<YamlNode> root = read_yaml(source, diagnostics)) parse_file(*root, specs, diagnostics);
}

SpecSet read_specs(const std::string& root, const std::string& base, Diagnostics& diagnostics) {
  return read_specs(std::vector<std::string>{root}, base, diagnostics);
}

SpecSet read_specs(const std::vector<std::string>& roots, const std::string& base, Diagnostics& diagnostics) {
  SpecSet specs;
  std::vector<fs::path> paths;
  for (const std::string& root : roots)
    for (fs::path& path : yaml_files(root, diagnostics))
      if (std::find(paths.begin(), paths.end(), path) == paths.end()) paths.push_back(std::move(path));
  for (ReadFile& file : read_files(paths, base)) {
    diagnostics.append(std::move(file.diagnostics));
    if (file.root) parse_file(*file.root, specs, diagnostics);
  }
  refuse_twins(specs.ops, "operator", &OpSpec::op, diagnostics);
  refuse_twins(specs.onnx, "operator", &OpSpec::op, diagnostics);
  refuse_twins(specs.functions, "function", &Function::head, diagnostics);
  refuse_twins(specs.requirements, "requirement", &Requirement::head, diagnostics);
  return specs;
}

std::string family_of(const std::string& spec_file) { return fs::path(spec_file).parent_path().filename().string(); }

}  // namespace opgen
