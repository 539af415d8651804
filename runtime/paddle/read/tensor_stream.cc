#include "runtime/paddle/read/tensor_stream.h"

#include <bit>
#include <cstring>

#include "runtime/paddle/proto/framework.pb.h"
#include "runtime/support/error.h"
#include "runtime/support/limits.h"

namespace fluid2onnx {
namespace {

static_assert(std::endian::native == std::endian::little, "tensors are mapped, not byte-swapped");

constexpr char kWrongFile[] = "pass the undamaged parameter file of this model";

/// Takes the header apart from front to back; never reads past the end.
class Cursor {
 public:
  Cursor(const std::shared_ptr<const MappedFile>& file, uint64_t offset, const std::string& what)
      : file_(file), offset_(offset), what_(what) {}

  uint64_t offset() const { return offset_; }
  uint64_t left() const { return file_->size() - offset_; }

  Error bad(const std::string& message) const { return at(E_BAD_PARAMS, message, kWrongFile); }

  // Steps over `length` bytes and returns where they start.
  uint64_t take(uint64_t length, const std::string& part) {
    if (length > left()) {
      throw at(E_TRUNCATED,
               "the file ends too early: " + what_ + " needs " + std::to_string(length) + " bytes for its " + part +
                   ", but only " + std::to_string(left()) + " are left",
               "pass the complete file of this model");
    }
    const uint64_t start = offset_;
    offset_ += length;
    return start;
  }

  template <class T>
  T number(const std::string& part) {
    T value;
    std::memcpy(&value, file_->bytes(take(sizeof value, part), sizeof value).data(), sizeof value);
    return value;
  }

  void zero_version(const std::string& part) {
    const uint64_t start = offset_;
    const auto version = number<uint32_t>(part);
    if (version == 0) return;
    offset_ = start;
    throw bad(what_ + " has " + part + " " + std::to_string(version) + ", expected 0");
  }

  const std::string& what() const { return what_; }

 private:
  Error at(ErrorCode code, const std::string& message, const char* hint) const {
    return Error(code, message).at(file_->path() + ": byte " + std::to_string(offset_)).hint(hint);
  }

  const std::shared_ptr<const MappedFile>& file_;
  uint64_t offset_;
  const std::string& what_;
};

void skip_lod(Cursor& cursor) {
  const auto levels = cursor.number<uint64_t>("number of LoD levels");
  if (levels > cursor.left() / sizeof(uint64_t)) {
    throw cursor.bad(cursor.what() + " has " + std::to_string(levels) + " LoD levels");
  }
  for (uint64_t i = 0; i < levels; ++i) {
    cursor.take(cursor.number<uint64_t>("LoD level's size"), "LoD level");
  }
}

/// The bytes of the elements; an Error if there are more than 2^64.
uint64_t data_length(const Cursor& cursor, const Shape& dims, uint64_t element_size) {
  uint64_t length = element_size;
  for (const int64_t dim : dims) {
    if (dim == 0) return 0;
  }
  for (const int64_t dim : dims) {
    if (__builtin_mul_overflow(length, static_cast<uint64_t>(dim), &length)) {
      throw cursor.bad(cursor.what() + " has dims whose product exceeds 64 bits");
    }
  }
  return length;
}

}  // namespace

StreamTensor read_stream_tensor(const std::shared_ptr<const MappedFile>& file, uint64_t offset,
                                const std::string& what) {
  Cursor cursor(file, offset, what);
  cursor.zero_version("LoD version");
  skip_lod(cursor);
  cursor.zero_version("tensor version");
  const auto size = cursor.number<int32_t>("descriptor's size");
  if (size < 0 || static_cast<uint64_t>(size) > limits::kDescriptorBytes) {
    throw cursor.bad(what + " has a descriptor of " + std::to_string(size) + " bytes, expected at most " +
                     std::to_string(limits::kDescriptorBytes));
  }
  const auto length = static_cast<uint64_t>(size);
  const uint64_t start = cursor.take(length, "descriptor");
  framework::TensorDesc desc;
  if (!desc.ParseFromArray(file->bytes(start, length).data(), size)) {
    throw cursor.bad(what + " has a descriptor that cannot be parsed");
  }

  StreamTensor tensor;
  tensor.dtype = dtype_from_paddle(desc.has_data_type() ? desc.data_type() : -1);
  const uint64_t element_size = dtype_size(tensor.dtype);
  if (element_size == 0) {
    throw cursor.bad(what + " has the unknown element type " +
                     (desc.has_data_type() ? std::to_string(desc.data_type()) : "(none)"));
  }
  tensor.dims.assign(desc.dims().begin(), desc.dims().end());
  for (const int64_t dim : tensor.dims) {
    if (dim < 0) throw cursor.bad(what + " has the negative dim " + std::to_string(dim));
  }
  tensor.data.file = file;
  tensor.data.length = data_length(cursor, tensor.dims, element_size);
  tensor.data.offset = cursor.take(tensor.data.length, "elements");
  tensor.end = cursor.offset();
  return tensor;
}

}  // namespace fluid2onnx
