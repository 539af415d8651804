#include "runtime/api/divide.h"

#include "runtime/api/either_way.h"
#include "runtime/support/error.h"
#include "runtime/support/has_item.h"
#include "runtime/targets/lint.h"

namespace fluid2onnx {

DividedReport convert_divided(const std::string& model, const std::string& output, const std::string& rest,
                              const ConvertOptions& options, const FileOptions& files) {
  if (!options.target) throw Error(E_USAGE, "the rest of a model needs a target").hint("add --target NAME");
  if (!options.renames.empty()) throw Error(E_USAGE, "a model that is divided for a target keeps its names");
  if (output == rest) throw Error(E_USAGE, "'" + rest + "' is both the output and the rest of the model");
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
