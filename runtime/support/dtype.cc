#include "runtime/support/dtype.h"

namespace fluid2onnx {
namespace {

enum class Kind : uint8_t { floating, integer, other };

struct Row {
  Dtype dtype;
  std::string_view name;
  size_t size;
  int32_t paddle;
  Kind kind;
};

constexpr Row kRows[] = {
    {Dtype::float32, "float32", 4, 5, Kind::floating},
    {Dtype::uint8, "uint8", 1, 20, Kind::integer},
    {Dtype::int8, "int8", 1, 21, Kind::integer},
    {Dtype::uint16, "uint16", 2, 36, Kind::integer},
    {Dtype::int16, "int16", 2, 1, Kind::integer},
    {Dtype::int32, "int32", 4, 2, Kind::integer},
    {Dtype::int64, "int64", 8, 3, Kind::integer},
    {Dtype::string, "string", 0, 25, Kind::other},
    {Dtype::bool_, "bool", 1, 0, Kind::other},
    {Dtype::float16, "float16", 2, 4, Kind::floating},
    {Dtype::float64, "float64", 8, 6, Kind::floating},
    {Dtype::uint32, "uint32", 4, 37, Kind::integer},
    {Dtype::uint64, "uint64", 8, 38, Kind::integer},
    {Dtype::complex64, "complex64", 8, 23, Kind::other},
    {Dtype::complex128, "complex128", 16, 24, Kind::other},
    {Dtype::bfloat16, "bfloat16", 2, 22, Kind::floating},
    {Dtype::float8e4m3fn, "float8e4m3fn", 1, 32, Kind::floating},
    {Dtype::float8e5m2, "float8e5m2", 1, 33, Kind::floating},
};

constexpr int64_t kPaddleSizeT = 19;
constexpr int64_t kPaddlePstring = 29;

const Row* find(Dtype dtype) {
  for (const Row& row : kRows) {
    if (row.dtype == dtype) return &row;
  }
  return nullptr;
}

}  // namespace

size_t dtype_size(Dtype dtype) {
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

Dtype dtype_from_paddle(int64_t var_type_id) {
  if (var_type_id == kPaddleSizeT) return Dtype::uint64;
  if (var_type_id == kPaddlePstring) return Dtype::string;
  for (const Row& row : kRows) {
    if (row.paddle == var_type_id) return row.dtype;
  }
  return Dtype::undefined;
}

int32_t dtype_to_paddle(Dtype dtype) {
  const Row* row = find(dtype);
  return row ? row->paddle : -1;
}

bool is_floating(Dtype dtype) {
  const Row* row = find(dtype);
  return row && row->kind == Kind::floating;
}

bool is_integer(Dtype dtype) {
  const Row* row = find(dtype);
  return row && row->kind == Kind::integer;
}

}  // namespace fluid2onnx
