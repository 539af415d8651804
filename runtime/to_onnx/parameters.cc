#include "runtime/to_onnx/parameters.h"

namespace fluid2onnx {
namespace {

/// Copies small parameters: they are read repeatedly, and each mapped one would keep megabytes resident.
Tensor tensor_of(const Parameter& parameter) {
  constexpr uint64_t kSmall = 1024;
  const TensorData& data = parameter.data;
  if (data.length > kSmall) {
    return Tensor(parameter.dtype, parameter.dims, FileSlice{data.file, data.offset, data.length});
  }
  const auto bytes = data.bytes();
  Tensor copy(parameter.dtype, parameter.dims, std::vector<uint8_t>(bytes.begin(), bytes.end()));
  data.file->forget(data.offset, data.length);
  return copy;
}

}  // namespace

Value GraphParameters::enter(const Parameter& parameter) {
  Entered& entered = entered_[parameter.name];
  // A rollback of a loop body removes parameters that were added in it.
  const bool there = entered.value && static_cast<size_t>(entered.value.id) < model_.value_count() &&
                     model_[entered.value].name == entered.name;
  if (there) return entered.value;
  entered.value = model_.add_parameter(parameter.name, tensor_of(parameter));
  // The system maps pages around each one.
  constexpr int kForgetAfter = 8;
  if (++read_ % kForgetAfter == 0) parameter.data.file->forget();
  entered.name = model_[entered.value].name;
  return entered.value;
}

}  // namespace fluid2onnx
