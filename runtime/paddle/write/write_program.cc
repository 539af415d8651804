#include "runtime/paddle/write/write_program.h"

#include <filesystem>
#include <optional>

#include "runtime/files/output_file.h"
#include "runtime/onnx/write/send_elements.h"
#include "runtime/paddle/proto/framework.pb.h"
#include "runtime/paddle/write/program_bytes.h"
#include "runtime/support/error.h"
#include "runtime/support/wire.h"

namespace fluid2onnx {
namespace {

/// By name, bytewise, which is the order in the file.
std::map<std::string, const Tensor*> parameters_of(const Program& program,
                                                   const std::map<std::string, Tensor>& weights) {
  std::map<std::string, const Tensor*> parameters;
  for (const std::string& name : parameter_names(program)) {
    const auto weight = weights.find(name);
    if (weight == weights.end()) throw Error(E_INTERNAL, "parameter '" + name + "' has no numbers");
    parameters.emplace(name, &weight->second);
  }
  for (const auto& [name, tensor] : weights) {
    if (!parameters.count(name)) throw Error(E_INTERNAL, "'" + name + "' has numbers, and no variable is for them");
  }
  return parameters;
}

template <class T>
void append(T value, std::string* out) {
  out->append(reinterpret_cast<const char*>(&value), sizeof value);
}

/// See tensor_stream.h.
void write_tensor(const Tensor& tensor, OutputFile* file) {
  framework::TensorDesc desc;
  desc.set_data_type(dtype_to_paddle(tensor.dtype()));
  for (const int64_t dim : tensor.dims()) desc.add_dims(dim);
  std::string header;
  append(uint32_t{0}, &header);
  append(uint64_t{0}, &header);  // no LoD
  append(uint32_t{0}, &header);
  append(static_cast<int32_t>(desc.ByteSizeLong()), &header);
  desc.AppendToString(&header);
  file->write(std::string_view(header));
  send_elements(tensor, file);
}

}  // namespace

std::set<std::string> parameter_names(const Program& program) {
  std::set<std::string> names;
  for (const Block& block : program.blocks) {
    for (const auto& [name, variable] : block.variables) {
      if (variable.persistable && variable.kind == VariableKind::tensor) names.insert(name);
    }
  }
  return names;
}

ProgramSizes write_program(const Program& program, const std::map<std::string, Tensor>& weights,
                           const std::string& model_path, const std::string& params_path, bool sync,
                           const std::function<void(uint64_t, uint64_t)>& progress) {
  return write_program_files(program_bytes(program), program, weights, model_path, params_path, sync, progress);
}

ProgramSizes write_program_files(std::string_view bytes, const Program& program,
                                 const std::map<std::string, Tensor>& weights, const std::string& model_path,
                                 const std::string& params_path, bool sync,
                                 const std::function<void(uint64_t, uint64_t)>& progress) {
  const auto parameters = parameters_of(program, weights);
  OutputFile model(model_path);
  model.write(bytes);
  std::optional<OutputFile> params;
  if (!parameters.empty()) {
    params.emplace(params_path);
    if (progress) {
      uint64_t total = 0;
      for (const auto& [name, tensor] : parameters) total += tensor->byte_size();
      params->watch([&progress, total](uint64_t done) { progress(done, total); });
    }
    for (const auto& [name, tensor] : parameters) write_tensor(*tensor, &*params);
    params->finish(sync);
  }
  model.finish(sync);
  std::error_code error;
  const bool replaces_pair =
      model.is_regular() && std::filesystem::is_regular_file(where_links_lead(params_path), error);
  commit_pair(&model, model_path, params ? &*params : nullptr, params_path, replaces_pair);
  return {model.size(), params ? params->size() : 0};
}

}  // namespace fluid2onnx
