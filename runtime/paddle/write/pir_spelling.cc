#include "runtime/paddle/write/pir_spelling.h"

#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

namespace fluid2onnx {
namespace {

using nlohmann::json;

constexpr char kNoDtype[] = "Undefined(ALL_DTYPE)";

std::string element_type(Dtype dtype) {
  switch (dtype) {
    case Dtype::bool_: return "t_bool";
    case Dtype::uint8: return "t_ui8";
    case Dtype::int8: return "t_i8";
    case Dtype::int16: return "t_i16";
    case Dtype::int32: return "t_i32";
    case Dtype::int64: return "t_i64";
    case Dtype::float16: return "t_f16";
    case Dtype::bfloat16: return "t_bf16";
    case Dtype::float64: return "t_f64";
    case Dtype::complex64: return "t_c64";
    case Dtype::complex128: return "t_c128";
    default: return "t_f32";  // Paddle wants one
  }
}

std::string dims_text(const std::optional<Shape>& dims) { return json(dims ? *dims : Shape{-1}).dump(); }

std::string typed(const char* kind, const std::string& data) {
  return R"({"#":")" + std::string(kind) + R"(","D":)" + data + "}";
}

std::string real(const char* kind, double number) {
  if (std::isfinite(number)) return typed(kind, json(number).dump());
  const char* text = std::isnan(number) ? "NAN" : number > 0 ? "INF" : "-INF";
  return R"({"#":")" + std::string(kind) + R"(","VD":")" + text + "\"}";
}

/// A number of the kind that it has.
std::optional<std::string> scalar(const Number& number) {
  if (const auto* flag = std::get_if<bool>(&number)) return typed("0.a_bool", *flag ? "true" : "false");
  if (const auto* whole = std::get_if<std::int64_t>(&number)) return typed("0.a_i64", std::to_string(*whole));
  if (const auto* x = std::get_if<double>(&number)) return real("0.a_f64", *x);
  return std::nullopt;
}

template <class List, class Spell>
std::optional<std::string> array(const std::optional<List>& list, const Spell& spell) {
  if (!list) return std::nullopt;
  std::vector<std::string> items;
  for (const auto& item : *list) {
    std::optional<std::string> text = spell(item);
    if (!text) return std::nullopt;
    items.push_back(std::move(*text));
  }
  return typed("0.a_array", "[" + pir_joined(items) + "]");
}

template <class T, class Spell>
std::optional<std::string> one(const std::optional<T>& value, const Spell& spell) {
  if (!value) return std::nullopt;
  return spell(*value);
}

std::optional<std::string> whole(const char* kind, std::int64_t number) {
  const bool narrow = std::string_view(kind) == "0.a_i32";
  if (narrow && number != static_cast<std::int32_t>(number)) return std::nullopt;
  return typed(kind, std::to_string(number));
}

}  // namespace

std::string pir_quoted(std::string_view text) {
  return json(text).dump(-1, ' ', false, json::error_handler_t::replace);
}

std::string pir_joined(const std::vector<std::string>& items) {
  std::string text;
  for (const std::string& item : items) {
    if (!text.empty()) text += ',';
    text += item;
  }
  return text;
}

std::string pir_type_text(const PirType& type) {
  if (type.is_list) {
    std::vector<std::string> elements;
    for (const PirType& element : type.elements) elements.push_back(pir_type_text(element));
    return typed("0.t_vec", "[" + pir_joined(elements) + "]");
  }
  const std::string start = R"([{"#":"0.)" + element_type(type.dtype) + "\"}," + dims_text(type.dims) + R"(,"NCHW")";
  if (type.kind == VariableKind::tensor_array) return typed("1.t_dense_tensor_array", start + "]");
  return typed("0.t_dtensor", start + ",[],0]");
}

std::optional<std::string> pir_value_text(std::string_view kind, const AttributeValue& value) {
  const Attribute attr{"", value};
  const auto i32 = [](std::int64_t x) { return whole("0.a_i32", x); };
  const auto i64 = [](std::int64_t x) { return whole("0.a_i64", x); };
  const auto f32 = [](double x) { return std::optional(real("0.a_f32", static_cast<float>(x))); };
  const auto f64 = [](double x) { return std::optional(real("0.a_f64", x)); };
  const auto flag = [](bool x) { return std::optional(typed("0.a_bool", x ? "true" : "false")); };
  const auto text = [](const std::string& x) { return std::optional(typed("0.a_str", pir_quoted(x))); };
  if (kind == "i32") return one(attr.as_int(), i32);
  if (kind == "i64") return one(attr.as_int(), i64);
  if (kind == "f32") return one(attr.as_float(), f32);
  if (kind == "f64") return one(attr.as_float(), f64);
  if (kind == "bool") return one(attr.as_bool(), flag);
  if (kind == "str") return one(attr.as_string(), text);
  if (kind == "i32[]") return array(attr.as_ints(), i32);
  if (kind == "i64[]") return array(attr.as_ints(), i64);
  if (kind == "f32[]") return array(attr.as_floats(), f32);
  if (kind == "f64[]") return array(attr.as_floats(), f64);
  if (kind == "str[]") return array(attr.as_strings(), text);
  if (kind == "scalar[]") return array(attr.as_scalars(), scalar);
  if (kind == "place") return typed("1.a_place", R"([0,0,""])");
  if (kind == "scalar") {
    const auto numbers = attr.as_scalars();
    return numbers && numbers->size() == 1 ? scalar(numbers->front()) : std::nullopt;
  }
  if (kind == "intarray") {
    const auto list = attr.as_ints();
    return list ? std::optional(typed("1.a_intarray", json(*list).dump())) : std::nullopt;
  }
  if (kind == "dtype") {
    const auto dtype = attr.as_dtype();
    if (!dtype) return std::nullopt;
    return typed("1.a_dtype", pir_quoted(*dtype == Dtype::undefined ? kNoDtype : dtype_name(*dtype)));
  }
  return std::nullopt;
}

std::string pir_attr_text(std::string_view name, const std::string& value) {
  return R"({"AT":)" + value + R"(,"N":)" + pir_quoted(name) + "}";
}

std::optional<AttributeValue> pir_fallback(std::string_view text) {
  if (text.empty()) return std::nullopt;
  const auto number = [](const json& x) -> Number {
    if (x.is_boolean()) return x.get<bool>();
    if (x.is_number_integer()) return x.get<std::int64_t>();
    return x.get<double>();
  };
  const json value = json::parse(text);
  if (value.is_string()) return value.get<std::string>();
  if (!value.is_array()) return std::visit([](const auto& x) { return AttributeValue(x); }, number(value));
  std::vector<Number> numbers;
  for (const json& item : value) {
    if (!item.is_number() && !item.is_boolean()) return std::nullopt;
    numbers.push_back(number(item));
  }
  return numbers;
}

}  // namespace fluid2onnx
