#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace fluid2onnx {

/// Element types. The numbers are those of ONNX TensorProto.DataType, so a cast converts.
enum class Dtype : int32_t {
  undefined = 0,
  float32 = 1,
  uint8 = 2,
  int8 = 3,
  uint16 = 4,
  int16 = 5,
  int32 = 6,
  int64 = 7,
  string = 8,
  bool_ = 9,
  float16 = 10,
  float64 = 11,
  uint32 = 12,
  uint64 = 13,
  complex64 = 14,
  complex128 = 15,
  bfloat16 = 16,
  float8e4m3fn = 17,
  float8e5m2 = 19,
};

/// Bytes per element; 0 for undefined and string. bool takes one byte.
size_t dtype_size(Dtype dtype);

/// "float32", "bool", "bfloat16" ...; "undefined" for anything that is not a listed enumerator.
std::string_view dtype_name(Dtype dtype);

/// The inverse of dtype_name. Also accepts what PIR files write ("float8_e4m3fn", "float8_e5m2").
/// "undefined" is not a name of a type: empty for it and for every unknown word.
std::optional<Dtype> dtype_from_name(std::string_view name);

/// From the id of Paddle's VarType.Type (FP32 is 5). Dtype::undefined for ids that are no element
/// type (LOD_TENSOR ...), for unknown ids and for -1, which attributes use for "same as the input".
/// SIZE_T is read as uint64. STRING and PSTRING are Dtype::string.
Dtype dtype_from_paddle(int64_t var_type_id);

/// The id of VarType.Type, -1 for Dtype::undefined.
int32_t dtype_to_paddle(Dtype dtype);

/// float16, bfloat16, float32, float64 and the two float8 types.
bool is_floating(Dtype dtype);

/// All signed and unsigned integer types, without bool.
bool is_integer(Dtype dtype);

}  // namespace fluid2onnx
