#include "runtime/paddle/read/placeholders.h"

#include <algorithm>
#include <map>

#include "runtime/paddle/read/parameter_file.h"
#include "runtime/support/limits.h"

namespace fluid2onnx {
namespace {

/// Nothing if the size is not declared, or out of all proportion.
std::optional<uint64_t> size_of(const ExpectedParameter& expected) {
  if (expected.dtype == Dtype::undefined || !expected.dims) return std::nullopt;
  uint64_t size = dtype_size(expected.dtype);
  for (const int64_t dim : *expected.dims) {
    if (dim < 0 || (dim > 0 && size > limits::kPlaceholderBytes / static_cast<uint64_t>(dim))) return std::nullopt;
    size *= static_cast<uint64_t>(dim);
  }
  return size;
}

}  // namespace

bool add_placeholders(Program& program) {
  const ExpectedParameters expected = expected_parameters(program);
  std::map<std::string_view, uint64_t> sizes;
  uint64_t largest = 1;
  for (const auto& [name, parameter] : expected) {
    const auto size = size_of(parameter);
    if (!size) return false;
    sizes.emplace(name, *size);
    largest = std::max(largest, *size);
  }
  const std::shared_ptr<const MappedFile> file = MappedFile::zeros(largest);
  for (const auto& [name, parameter] : expected) {
    program.parameters.emplace(
        name, Parameter{name, parameter.dtype, *parameter.dims, TensorData{file, 0, sizes.find(name)->second}});
  }
  return true;
}

}  // namespace fluid2onnx
