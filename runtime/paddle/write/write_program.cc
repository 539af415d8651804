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

[[noreturn]] void mismatch(const std::string& message) {
  throw Error(E_INTERNAL, message).hint("report this bug of fluid2onnx with the model");
}

/// By name, bytewise, which is the order in the file.
std::map<std::string, const Tensor*> parameters_of(const Program& program,
                                                   const std::map<std::string, Tensor>& weights) {
  std::map<std::string, const Tensor*> parameters;
  for (const std::string& name : parameter_names(program)) {
    const auto weight = weights.find(name);
    if (weight == weights.end()) mismatch("parameter '" + name + "' has no numbers");
    parameters.emplace(name, &weight->second);
  }
  for (const auto& [name, tensor] : weights) {
    if (!parameters.count(name)) mismatch("'" + name + "' has numbers, and no variable is for them");
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
  for (const std::int64_t dim : tensor.dims()) desc.add_dims(dim);
  std::string header;
  append(std::uint32_t{0}, &header);
  append(std::uint64_t{0}, &header);  // no LoD
  append(std::uint32_t{0}, &header);
  append(static_cast<std::int32_t>(desc.ByteSizeLong()), &header);
  desc.AppendToString(&header);
  file->write(std::string_view(header));
  send_elements(tensor, file);
}

void remove(const std::string& path) {
  std::error_code ignored;
  std::filesystem::remove(path, ignored);
}

/// The program that was there goes first, and its parameters with it: what is seen together belongs together.
void commit_both(OutputFile* model, const std::string& model_path, OutputFile* params, const std::string& params_path) {
  const std::string old_model = where_links_lead(model_path), old_params = where_links_lead(params_path);
  std::error_code error;
  const bool replaces_params = std::filesystem::is_regular_file(old_params, error);
  if (replaces_params && model->is_regular()) remove(old_model);
  if (params) params->commit();
  else if (replaces_params && model->is_regular()) remove(old_params);
  try {
    model->commit();
  } catch (const Error&) {
    if (params) remove(old_params);
    throw;
  }
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
  commit_both(&model, model_path, params ? &*params : nullptr, params_path);
  return {model.size(), params ? params->size() : 0};
}

}  // namespace fluid2onnx
