#include "runtime/paddle/read/placeholders.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <map>

#include "runtime/paddle/read/parameter_file.h"
#include "runtime/support/error.h"

namespace fluid2onnx {
namespace {

/// Zeros that are no more than a size until they are read, and then not more than that either: a file that is a hole.
std::shared_ptr<const MappedFile> zeros(std::uint64_t size) {
  std::string path = (std::filesystem::temp_directory_path() / "fluid2onnx-XXXXXX").string();
  const int fd = ::mkstemp(path.data());
  if (fd < 0) throw Error(E_IO, std::string("no temporary file: ") + std::strerror(errno)).at(path);
  const int error = ::ftruncate(fd, static_cast<off_t>(size)) == 0 ? 0 : errno;
  ::close(fd);
  std::shared_ptr<const MappedFile> file;
  try {
    if (error != 0) throw Error(E_IO, std::string("no temporary file: ") + std::strerror(error)).at(path);
    file = MappedFile::open(path);
  } catch (const Error&) {
    ::unlink(path.c_str());
    throw;
  }
  ::unlink(path.c_str());  // the bytes stay as long as they are mapped
  return file;
}

/// Nothing if the size is not declared, or out of all proportion.
std::optional<std::uint64_t> size_of(const ExpectedParameter& expected) {
  constexpr std::uint64_t kMost = 1ull << 40;
  if (expected.dtype == Dtype::undefined || !expected.dims) return std::nullopt;
  std::uint64_t size = dtype_size(expected.dtype);
  for (const std::int64_t dim : *expected.dims) {
    if (dim < 0 || (dim > 0 && size > kMost / static_cast<std::uint64_t>(dim))) return std::nullopt;
    size *= static_cast<std::uint64_t>(dim);
  }
  return size;
}

}  // namespace

bool add_placeholders(Program& program) {
  const ExpectedParameters expected = expected_parameters(program);
  std::map<std::string_view, std::uint64_t> sizes;
  std::uint64_t largest = 1;
  for (const auto& [name, parameter] : expected) {
    const auto size = size_of(parameter);
    if (!size) return false;
    sizes.emplace(name, *size);
    largest = std::max(largest, *size);
  }
  const std::shared_ptr<const MappedFile> file = zeros(largest);
  for (const auto& [name, parameter] : expected) {
    program.parameters.emplace(
        name, Parameter{name, parameter.dtype, *parameter.dims, TensorData{file, 0, sizes.find(name)->second}});
  }
  return true;
}

}  // namespace fluid2onnx
