#include "runtime/support/dtype.h"

namespace fluid2onnx {
namespace {

struct Row {
  Dtype dtype;
  std::string_view name;
  std::size_t size;
  std::int32_t paddle;
};

constexpr Row kRows[] = {
    {Dtype::float32, "float32", 4, 5},
    {Dtype::uint8, "uint8", 1, 20},
    {Dtype::int8, "int8", 1, 21},
    {Dtype::uint16, "uint16", 2, 36},
    {Dtype::int16, "int16", 2, 1},
    {Dtype::int32, "int32", 4, 2},
    {Dtype::int64, "int64", 8, 3},
    {Dtype::string, "string", 0, 25},
    {Dtype::bool_, "bool", 1, 0},
    {Dtype::float16, "float16", 2, 4},
    {Dtype::float64, "float64", 8, 6},
    {Dtype::uint32, "uint32", 4, 37},
    {Dtype::uint64, "uint64", 8, 38},
    {Dtype::complex64, "complex64", 8, 23},
    {Dtype::complex128, "complex128", 16, 24},
    {Dtype::bfloat16, "bfloat16", 2, 22},
    {Dtype::float8e4m3fn, "float8e4m3fn", 1, 32},
    {Dtype::float8e5m2, "float8e5m2", 1, 33},
};

constexpr std::int64_t kPaddleSizeT = 19;
constexpr std::int64_t kPaddlePstring = 29;

const Row* find(Dtype dtype) {
  for (const Row& row : kRows) {
    if (row.dtype == dtype) return &row;
  }
  return nullptr;
}

}  // namespace

std::size_t dtype_size(Dtype dtype) {
  const Row* row = find(dtype);
  return row ? row->size : 0;
}

std::string_view dtype_name(Dtype dtype) {
  const Row* row = find(dtype);
  return row ? row->name : "undefined";
}

std::optional<Dtype> dtype_from_name(std::string_view name) {
  for (const Row& row : kRows) {
    if (row.name == name) return row.dtype;
  }
  if (name == "float8_e4m3fn") return Dtype::float8e4m3fn;
  if (name == "float8_e5m2") return Dtype::float8e5m2;
  return std::nullopt;
}

Dtype dtype_from_paddle(std::int64_t var_type_id) {
  if (var_type_id == kPaddleSizeT) return Dtype::uint64;
  if (var_type_id == kPaddlePstring) return Dtype::string;
  for (const Row& row : kRows) {
    if (row.paddle == var_type_id) return row.dtype;
  }
  return Dtype::undefined;
}

std::int32_t dtype_to_paddle(Dtype dtype) {
  const Row* row = find(dtype);
  return row ? row->paddle : -1;
}

bool is_floating(Dtype dtype) {
  switch (dtype) {
    case Dtype::float16:
    case Dtype::bfloat16:
    case Dtype::float32:
    case Dtype::float64:
    case Dtype::float8e4m3fn:
    case Dtype::float8e5m2: return true;
    default: return false;
  }
}

bool is_integer(Dtype dtype) {
  switch (dtype) {
    case Dtype::int8:
    case Dtype::int16:
    case Dtype::int32:
    case Dtype::int64:
    case Dtype::uint8:
    case Dtype::uint16:
    case Dtype::uint32:
    case Dtype::uint64: return true;
    default: return false;
  }
}

}  // namespace fluid2onnx
