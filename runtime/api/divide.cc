#include "runtime/api/divide.h"

#include <filesystem>

#include "runtime/api/either_way.h"
#include "runtime/support/error.h"
#include "runtime/support/has_item.h"
#include "runtime/targets/lint.h"

namespace fluid2onnx {
namespace {

namespace fs = std::filesystem;

bool same_file(const std::string& one, const std::string& other) {
  std::error_code error;
  const auto whole = [&](const std::string& path) { return fs::weakly_canonical(fs::absolute(path, error), error); };
  return whole(one) == whole(other) || fs::equivalent(one, other, error);
}

/// Before anything is written.
void check_rest(const std::string& output, const std::string& rest, const ConvertOptions& options) {
  if (!options.target) throw Error(E_USAGE, "the rest of a model needs a target").hint("add --target NAME");
  if (!options.renames.empty() || !options.inputs.empty()) {
    throw Error(E_USAGE, "a model with --inputs or --rename is not divided for a target").hint("omit --rest");
  }
  if (!rest.ends_with(".onnx")) throw Error(E_USAGE, "'" + rest + "', the rest of a model, must end in .onnx");
  if (same_file(output, rest)) throw Error(E_USAGE, "'" + rest + "' is both the output and the rest of the model");
  const fs::path folder = fs::path(rest).parent_path();
  std::error_code error;
  if (!folder.empty() && !fs::is_directory(folder, error)) {
    throw Error(E_WRITE, "the folder does not exist").at(rest).hint("make the folder first");
  }
}

}  // namespace

DividedReport convert_divided(const std::string& model, const std::string& output, const std::string& rest,
                              const ConvertOptions& options, const FileOptions& files) {
  check_rest(output, rest, options);
  DividedReport divided{convert_either(model, output, options, files), std::nullopt};
  const auto refused = divided.front.target;
  if (!divided.front.ok || !refused || refused->ok() || refused->rest_inputs.empty()) return divided;

  ConvertOptions behind = options;
  behind.target = nullptr;
  behind.inputs = refused->rest_inputs;
  if (!refused->rest_outputs.empty()) behind.outputs = refused->rest_outputs;
  std::erase_if(behind.input_shapes, [&](const auto& shape) { return !has_item(behind.inputs, shape.first); });
  divided.rest = convert_either(model, rest, behind, files);
  if (!divided.rest->ok) return divided;

  ConvertOptions before = options;
  before.outputs = refused->cut;
  divided.front = convert_either(model, output, before, files);
  return divided;
}

}  // namespace fluid2onnx
