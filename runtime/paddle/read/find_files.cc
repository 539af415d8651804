#include "runtime/paddle/read/find_files.h"

#include <algorithm>
#include <filesystem>
#include <span>

#include "runtime/paddle/read/parameter_file.h"
#include "runtime/paddle/read/sniff.h"
#include "runtime/support/error.h"
#include "runtime/support/hints.h"
#include "runtime/support/text.h"

namespace fluid2onnx {
namespace {

namespace fs = std::filesystem;

constexpr const char* kModelSuffixes[] = {".pdmodel", ".json"};

bool is_folder(const fs::path& path) {
  std::error_code error;
  return fs::is_directory(path, error);
}

bool is_file(const fs::path& path) {
  std::error_code error;
  return fs::is_regular_file(path, error);
}

bool exists(const fs::path& path) {
  std::error_code error;
  return fs::exists(path, error);
}

/// Names of the regular files in a folder, sorted.
std::vector<std::string> files_in(const fs::path& folder) {
  std::error_code error;
  std::vector<std::string> names;
  fs::directory_iterator entry(folder, error);
  while (!error && entry != fs::directory_iterator()) {
    if (is_file(entry->path())) names.push_back(entry->path().filename().string());
    entry.increment(error);
  }
  if (error) throw Error(E_IO, "cannot list the folder: " + error.message()).at(folder.string());
  std::sort(names.begin(), names.end());
  return names;
}

bool is_model(FileKind kind) { return kind == FileKind::program_desc || kind == FileKind::pir_json; }

/// What to say about a folder without a model.
Error no_model(const std::string& folder, const std::vector<std::string>& names) {
  Error error(E_NO_MODEL, "no model in this folder; expected X.pdmodel, X.json or __model__");
  error.at(folder).hint(kHowToExport);
  for (const std::string& name : names) {
    const FileKind kind = sniff_file((fs::path(folder) / name).string());
    const bool telling = kind == FileKind::pickle || kind == FileKind::git_lfs_pointer || kind == FileKind::onnx ||
                         kind == FileKind::maybe_program;
    const bool looks_like_model = name == "__model__" || name.ends_with(".pdmodel");
    if (!telling && !looks_like_model) continue;
    const std::string remedy = *advice(kind) ? std::string("; ") + advice(kind) : "";
    error.hint("'" + name + "' is " + describe(kind) + remedy);
    if (looks_like_model) break;
  }
  return error;
}

std::string find_in_folder(const std::string& folder) {
  const std::vector<std::string> names = files_in(folder);
  std::vector<std::string> models;
  for (const std::string& name : names) {
    if (is_model(sniff_file((fs::path(folder) / name).string()))) models.push_back(name);
  }
  if (models.empty()) throw no_model(folder, names);
  if (models.size() > 1) {
    throw Error(E_MANY_MODELS, "the folder holds " + std::to_string(models.size()) + " models: " + listed(models))
        .at(folder)
        .hint("pass the path of one of them");
  }
  return (fs::path(folder) / models.front()).string();
}

/// The files that a prefix may mean.
std::vector<std::string> find_by_prefix(const std::string& prefix) {
  std::vector<std::string> found;
  if (prefix.empty() || prefix.back() == '/') return found;
  for (const char* suffix : kModelSuffixes) {
    if (is_file(prefix + suffix)) found.push_back(prefix + suffix);
  }
  return found;
}

/// The model's file name without the suffix that marks it as a model.
std::string stem_of(const std::string& name) {
  for (const std::string suffix : kModelSuffixes) {
    if (name.size() > suffix.size() && name.ends_with(suffix)) {
      return name.substr(0, name.size() - suffix.size());
    }
  }
  return name;
}

Error not_found(const std::string& path) {
  if (path.back() == '/') return Error(E_NOT_FOUND, "no such folder").at(path);
  fs::path parent = fs::path(path).parent_path();
  if (parent.empty()) parent = ".";
  const bool prefix = stem_of(path) == path;
  Error error(E_NOT_FOUND, !prefix
                               ? "no such file"
                               : "no such file or folder; also tried '" + path + ".pdmodel' and '" + path + ".json'");
  error.at(path);
  if (!is_folder(parent)) {
    return error.hint("folder '" + parent.string() + "' does not exist");
  }
  std::vector<std::string> names;
  try {
    names = files_in(parent);
  } catch (const Error&) {
    return error;  // a folder that can't be listed
  }
  const std::string best = closest(fs::path(path).filename().string(), names);
  if (!best.empty()) error.hint("did you mean '" + (parent / best).string() + "'?");
  return error;
}

Error no_params(const std::string& model_file, const std::vector<std::string>& candidates,
                const std::vector<std::string>& names) {
  const fs::path model(model_file);
  Error error(E_NO_PARAMS, "the model has " + count_of(names.size(), "parameter") + ", but their file is missing: '" +
                               candidates.front() + "'");
  error.at(model_file);
  const std::string pickle = stem_of(model.filename().string()) + ".pdparams";
  if (is_file(model.parent_path() / pickle)) {
    return error.hint("'" + pickle + "' is a pickled state dict, not a parameter file; " + kHowToExport);
  }
  return error.hint("put the parameter file there, or pass it with --params; also tried " +
                    listed(std::span(candidates).subspan(1)) + " and for files named like the parameters ('" +
                    names.front() + "')");
}

}  // namespace

std::string find_model_file(const std::string& path) {
  if (path.empty()) throw Error(E_NOT_FOUND, "the path of the model is empty");
  if (path.find('\0') != std::string::npos) {
    throw Error(E_NOT_FOUND, "the path of the model contains a zero byte");
  }
  const bool folder = is_folder(path);
  if (!folder && exists(path)) return path;
  const std::vector<std::string> by_prefix = find_by_prefix(path);
  if (by_prefix.size() > 1) {
    throw Error(E_MANY_MODELS, "the path is ambiguous: " + listed(by_prefix)).at(path).hint("pass one of them");
  }
  if (!folder) {
    if (by_prefix.empty()) throw not_found(path);
    return by_prefix.front();
  }
  try {
    return find_in_folder(path);
  } catch (const Error& error) {
    if (error.code() != E_NO_MODEL || by_prefix.empty()) throw;
    return by_prefix.front();
  }
}

ParameterLocation find_parameters(const std::string& model_file, const std::string& given,
                                  const std::vector<std::string>& names) {
  if (!given.empty()) {
    if (is_folder(given)) return {given, true};
    if (exists(given)) return {given, false};
    throw Error(E_NOT_FOUND, "no such file or folder for the parameters").at(given);
  }
  const fs::path folder = fs::path(model_file).parent_path();
  const std::string name = fs::path(model_file).filename().string();
  std::vector<std::string> candidates{stem_of(name) + ".pdiparams", "__params__", "params"};
  if (name == "__model__") std::rotate(candidates.begin(), candidates.begin() + 1, candidates.end());
  for (const std::string& candidate : candidates) {
    const fs::path path = folder / candidate;
    if (is_file(path) && candidate != name) return {path.string(), false};
  }

  const std::string base = folder.empty() ? "." : folder.string();
  std::vector<std::string> missing;
  for (const std::string& parameter : names) {
    if (!is_file(separate_path(base, parameter))) missing.push_back(parameter);
  }
  if (missing.empty()) return {base, true};
  if (missing.size() == names.size()) throw no_params(model_file, candidates, names);
  throw Error(E_NO_PARAMS, std::to_string(missing.size()) + " of " + count_of(names.size(), "parameter file") +
                               " are missing: " + listed(missing))
      .at(base)
      .hint("pass the complete folder of this model");
}

}  // namespace fluid2onnx
