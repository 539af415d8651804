// The types and attributes of Paddle 3's own format, by the names that its reader and its writer share.
#pragma once

#include <string_view>
#include <utility>

#include "runtime/support/dtype.h"

namespace fluid2onnx {

/// A file has the id of a dialect in front of each name: "1.full" is pd_op.full.
inline constexpr std::pair<std::string_view, std::string_view> kPirDialects[] = {
    {"0", "builtin"}, {"1", "pd_op"}, {"2", "cf"}, {"3", "custom_op"}, {"4", "pd_dist"}};

/// Of two names of a dtype, the writer takes the first.
inline constexpr std::pair<std::string_view, Dtype> kPirElementTypes[] = {{"t_bool", Dtype::bool_},
                                                                          {"t_ui8", Dtype::uint8},
                                                                          {"t_i8", Dtype::int8},
                                                                          {"t_i16", Dtype::int16},
                                                                          {"t_i32", Dtype::int32},
                                                                          {"t_i64", Dtype::int64},
                                                                          {"t_index", Dtype::int64},
                                                                          {"t_f16", Dtype::float16},
                                                                          {"t_bf16", Dtype::bfloat16},
                                                                          {"t_f32", Dtype::float32},
                                                                          {"t_f64", Dtype::float64},
                                                                          {"t_c64", Dtype::complex64},
                                                                          {"t_c128", Dtype::complex128},
                                                                          {"t_ui16", Dtype::uint16},
                                                                          {"t_ui32", Dtype::uint32},
                                                                          {"t_ui64", Dtype::uint64},
                                                                          {"t_f8e4m3fn", Dtype::float8e4m3fn},
                                                                          {"t_f8e5m2", Dtype::float8e5m2}};

/// What the data of an attribute are.
enum class PirForm { absent, boolean, real, integer, text, dtype, integers, scalar, complex, list };

struct PirKind {
  std::string_view dialect, name;
  PirForm form;
};

inline constexpr PirKind kPirAttributes[] = {
    {"0", "a_array", PirForm::list},   {"0", "a_bool", PirForm::boolean},      {"0", "a_c128", PirForm::complex},
    {"0", "a_c64", PirForm::complex},  {"0", "a_f32", PirForm::real},          {"0", "a_f64", PirForm::real},
    {"0", "a_i32", PirForm::integer},  {"0", "a_i64", PirForm::integer},       {"0", "a_index", PirForm::integer},
    {"0", "a_str", PirForm::text},     {"0", "a_tensorname", PirForm::text},   {"0", "a_type", PirForm::absent},
    {"1", "a_dtype", PirForm::dtype},  {"1", "a_intarray", PirForm::integers}, {"1", "a_layout", PirForm::text},
    {"1", "a_place", PirForm::absent}, {"1", "a_scalar", PirForm::scalar},
};

/// Null if the attribute has no such kind.
constexpr const PirKind* find_pir_attribute(std::string_view name) {
  for (const PirKind& kind : kPirAttributes) {
    if (kind.name == name) return &kind;
  }
  return nullptr;
}

}  // namespace fluid2onnx
