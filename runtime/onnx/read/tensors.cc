#include "runtime/onnx/read/tensors.h"

#include <bit>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>

#include "runtime/support/error.h"
#include "runtime/support/inside.h"
#include "runtime/support/limits.h"
#include "runtime/support/wire.h"

namespace fluid2onnx {
namespace {

namespace fs = std::filesystem;
using onnx::SparseTensorProto;
using onnx::TensorProto;

static_assert(std::endian::native == std::endian::little, "tensors are mapped, not byte-swapped");

std::string quoted(const TensorProto& proto) {
  return proto.name().empty() ? std::string("a constant") : "constant '" + proto.name() + "'";
}

Dtype dtype_of(const TensorProto& proto, const OnnxFile& onnx) {
  const int32_t number = proto.data_type();
  const auto dtype = static_cast<Dtype>(number);
  if (dtype_size(dtype) > 0) return dtype;
  const std::string name =
      TensorProto::DataType_IsValid(number) ? TensorProto::DataType_Name(number) : std::to_string(number);
  throw Error(E_CONSTANT_DTYPE,
              quoted(proto) + " has elements of type " + name + ", which Paddle's tensors do not support")
      .at(onnx.path);
}

/// Where the elements of a tensor are: which field of its message, or the field that would hold them.
struct Place {
  std::shared_ptr<const MappedFile> file;
  uint64_t offset = 0;
  uint64_t length = 0;
  std::string field = "raw_data";
};

/// Entries of external_data.
class Entries {
 public:
  Entries(const TensorProto& proto, const OnnxFile& onnx) : proto_(proto), onnx_(onnx) {}

  const std::string* find(std::string_view key) const {
    for (const auto& entry : proto_.external_data()) {
      if (entry.key() == key) return &entry.value();
    }
    return nullptr;
  }
  uint64_t number(std::string_view key, uint64_t default_value) const {
    const std::string* text = find(key);
    if (!text) return default_value;
    uint64_t number = 0;
    const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), number);
    if (error != std::errc() || end != text->data() + text->size()) {
      throw bad("the " + std::string(key) + " of its data is '" + *text + "', expected a number");
    }
    return number;
  }
  Error bad(const std::string& message) const {
    return Error(E_BAD_PARAMS, quoted(proto_) + ": " + message)
        .at(onnx_.path)
        .hint("the model is damaged; export it again");
  }

 private:
  const TensorProto& proto_;
  const OnnxFile& onnx_;
};

/// A file beside the model. Not elsewhere: an untrusted model must not read other files of this machine. Links are
/// followed where they stay in the folder, or in that of the file that the model itself is a link to.
std::shared_ptr<const MappedFile> open_data(const std::string& location, const Entries& entries, OnnxFile& onnx) {
  const auto known = onnx.data.find(location);
  if (known != onnx.data.end()) return known->second;
  if (!is_name_inside(location))
    throw entries.bad("the data is in '" + location + "', expected a file in the model's folder");

  const fs::path folder = fs::path(onnx.path).parent_path();
  const fs::path path = folder / location;
  std::error_code error;
  if (!fs::exists(path, error)) {
    throw Error(E_NO_PARAMS, "the data file '" + location + "' of the model is missing")
        .at(path.string())
        .hint("put the file into the folder of the model");
  }
  if (!leads_inside(path.string(), folder.string(), onnx.path)) {
    throw entries.bad("the data is in '" + location + "', a link to a file outside of the model's folder");
  }
  return onnx.data.emplace(location, MappedFile::open(path.string())).first->second;
}

Place external_place(const TensorProto& proto, uint64_t size, OnnxFile& onnx) {
  const Entries entries(proto, onnx);
  const std::string* location = entries.find("location");
  if (!location) throw entries.bad("the location of the data is missing");
  Place place;
  place.file = *location == kInModel ? onnx.file : open_data(*location, entries, onnx);
  place.offset = entries.number("offset", 0);
  place.length = entries.number("length", size);
  if (const std::string* field = *location == kInModel ? entries.find("field") : nullptr) place.field = *field;
  if (place.offset > place.file->size() || place.length > place.file->size() - place.offset) {
    throw Error(E_TRUNCATED, "the file ends too early: " + quoted(proto) + " needs " + std::to_string(place.length) +
                                 " bytes from byte " + std::to_string(place.offset) + " on, and the file has " +
                                 std::to_string(place.file->size()))
        .at(place.file->path())
        .hint("copy the complete data file of this model");
  }
  return place;
}

Error wrong_size(const TensorProto& proto, const OnnxFile& onnx, const std::string& found, const std::string& wanted) {
  return Error(E_TENSOR, quoted(proto) + " has " + found + " of data, but its dims and type need " + wanted)
      .at(onnx.path);
}

std::string in_bytes(uint64_t n) { return std::to_string(n) + " bytes"; }
std::string elements_text(uint64_t n) { return std::to_string(n) + " elements"; }

/// Which field of a TensorProto has elements of the type, unless raw_data has them.
std::string_view field_for(Dtype dtype) {
  switch (dtype) {
    case Dtype::float32:
    case Dtype::complex64: return "float_data";
    case Dtype::float64:
    case Dtype::complex128: return "double_data";
    case Dtype::int64: return "int64_data";
    case Dtype::uint32:
    case Dtype::uint64: return "uint64_data";
    default: return "int32_data";
  }
}

void append_low_bytes(uint64_t number, size_t width, std::vector<uint8_t>* out) {
  const auto* bytes = reinterpret_cast<const uint8_t*>(&number);
  out->insert(out->end(), bytes, bytes + width);
}

template <class List>
std::vector<uint8_t> narrowed_list(const List& list, size_t width) {
  std::vector<uint8_t> bytes;
  bytes.reserve(static_cast<size_t>(list.size()) * width);
  for (const auto number : list) append_low_bytes(static_cast<uint64_t>(number), width, &bytes);
  return bytes;
}

template <class List>
std::vector<uint8_t> copied(const List& list) {
  std::vector<uint8_t> bytes(static_cast<size_t>(list.size()) * sizeof(*list.data()));
  if (!bytes.empty()) std::memcpy(bytes.data(), list.data(), bytes.size());
  return bytes;
}

/// Elements in the fields of the message.
std::vector<uint8_t> inline_bytes(const TensorProto& proto, Dtype dtype) {
  if (proto.has_raw_data()) return {proto.raw_data().begin(), proto.raw_data().end()};
  const std::string_view field = field_for(dtype);
  const size_t width = dtype_size(dtype);
  if (field == "float_data") return copied(proto.float_data());
  if (field == "double_data") return copied(proto.double_data());
  if (field == "int64_data") return copied(proto.int64_data());
  if (field == "uint64_data") return narrowed_list(proto.uint64_data(), width);
  return narrowed_list(proto.int32_data(), width);
}

/// Elements that are variable-length numbers in the mapped file.
std::vector<uint8_t> read_numbers(const Place& place, const TensorProto& proto, Dtype dtype, uint64_t count,
                                  const OnnxFile& onnx) {
  if (place.length < count) {  // each takes a byte at least
    throw wrong_size(proto, onnx, in_bytes(place.length), elements_text(count));
  }
  const auto bytes = place.file->bytes(place.offset, place.length);
  std::vector<uint8_t> elements;
  const uint64_t size = count * dtype_size(dtype);
  elements.reserve(size);
  const uint8_t* at = bytes.data();
  const uint8_t* const end = at + bytes.size();
  uint64_t number = 0;
  while (at != end && elements.size() < size && wire::read_varint(&at, end, &number)) {
    append_low_bytes(number, dtype_size(dtype), &elements);
  }
  if (at != end || elements.size() < size) throw wrong_size(proto, onnx, in_bytes(place.length), elements_text(count));
  place.file->forget(place.offset, place.length);
  return elements;
}

}  // namespace

Tensor tensor_of(const TensorProto& proto, OnnxFile& onnx) {
  if (proto.has_segment()) {
    throw Error(E_UNSUPPORTED, quoted(proto) + " is only a segment of a tensor").at(onnx.path);
  }
  const Dtype dtype = dtype_of(proto, onnx);
  Ints dims(proto.dims().begin(), proto.dims().end());
  uint64_t count = 0;
  try {
    count = static_cast<uint64_t>(element_count(dims));
  } catch (Error& error) {
    throw error.at(onnx.path + ": " + quoted(proto));
  }
  const uint64_t size = count * dtype_size(dtype);
  if (proto.data_location() != TensorProto::EXTERNAL) {
    std::vector<uint8_t> bytes = inline_bytes(proto, dtype);
    if (bytes.size() != size) throw wrong_size(proto, onnx, in_bytes(bytes.size()), in_bytes(size));
    return Tensor(dtype, std::move(dims), std::move(bytes));
  }
  const Place place = external_place(proto, size, onnx);
  if (place.field != "raw_data") {
    if (place.field != field_for(dtype)) {
      throw Error(E_TENSOR, quoted(proto) + " of type " + std::string(dtype_name(dtype)) + " has its elements in " +
                                place.field + ", expected " + std::string(field_for(dtype)))
          .at(onnx.path);
    }
    const bool as_in_memory = place.field == "float_data" || place.field == "double_data";
    if (!as_in_memory) return Tensor(dtype, std::move(dims), read_numbers(place, proto, dtype, count, onnx));
  }
  if (place.length != size) throw wrong_size(proto, onnx, in_bytes(place.length), in_bytes(size));
  return Tensor(dtype, std::move(dims), FileSlice{place.file, place.offset, place.length});
}

Tensor tensor_of(const SparseTensorProto& proto, OnnxFile& onnx) {
  const Tensor values = tensor_of(proto.values(), onnx);
  const Tensor indices = tensor_of(proto.indices(), onnx);
  const auto bad = [&](const std::string& message) {
    return Error(E_TENSOR, "sparse " + quoted(proto.values()) + ": " + message).at(onnx.path);
  };
  Ints dims(proto.dims().begin(), proto.dims().end());
  const int64_t count = element_count(dims);
  const size_t width = dtype_size(values.dtype());
  if (static_cast<uint64_t>(count) > limits::kSparseBytes / width) {
    throw Error(E_TOO_LARGE, "sparse " + quoted(proto.values()) + " has " +
                                 elements_text(static_cast<uint64_t>(count)) + " with its zeros")
        .at(onnx.path);
  }
  const int64_t rank = static_cast<int64_t>(dims.size());
  const bool linear = indices.rank() == 1;
  const bool fits =
      linear ? indices.count() == values.count() : indices.dims() == Ints{values.count(), rank} && rank > 0;
  if (!fits || indices.dtype() != Dtype::int64) {
    throw bad("expected int64 indices, one for each value or one for each of its axes");
  }
  const Ints at = indices.elements<int64_t>();
  std::vector<uint8_t> dense(static_cast<size_t>(count) * width);
  const auto bytes = values.bytes();
  for (int64_t i = 0; i < values.count(); ++i) {
    int64_t offset = linear ? at[static_cast<size_t>(i)] : 0;
    if (linear && (offset < 0 || offset >= count)) throw bad("an index is out of range");
    for (int64_t axis = 0; axis < rank && !linear; ++axis) {
      const int64_t index = at[static_cast<size_t>(i * rank + axis)];
      const int64_t dim = dims[static_cast<size_t>(axis)];
      if (index < 0 || index >= dim) throw bad("an index is out of range");
      offset = offset * dim + index;
    }
    std::memcpy(dense.data() + static_cast<size_t>(offset) * width, bytes.data() + static_cast<size_t>(i) * width,
                width);
  }
  return Tensor(values.dtype(), std::move(dims), std::move(dense));
}

}  // namespace fluid2onnx
