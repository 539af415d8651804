#include "runtime/paddle/write/pir_text.h"

#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

#include "runtime/paddle/program/pir_names.h"
#include "runtime/support/json_text.h"
#include "runtime/support/text.h"

namespace fluid2onnx {
namespace {

using nlohmann::json;

constexpr char kNoDtype[] = "Undefined(ALL_DTYPE)";

std::string element_type(Dtype dtype) {
  for (const auto& [name, known] : kPirElementTypes) {
    if (known == dtype) return std::string(name);
  }
  return "t_f32";  // Paddle wants one
}

std::string dims_text(const std::optional<Shape>& dims) { return json(dims ? *dims : Shape{-1}).dump(); }

std::string start_of(std::string_view name, std::string_view member) {
  return R"({"#":")" + std::string(name) + R"(",")" + std::string(member) + R"(":)";
}

std::string typed(std::string_view name, const std::string& data) { return start_of(name, "D") + data + "}"; }

std::string name_of(const PirKind& kind) { return std::string(kind.dialect) + "." + std::string(kind.name); }

std::string of_kind(std::string_view kind, const std::string& data) {
  return typed(name_of(*find_pir_attribute(kind)), data);
}

std::string bool_text(bool yes) { return of_kind("a_bool", yes ? "true" : "false"); }

std::string float_text(const PirKind& kind, double number) {
  if (kind.name == "a_f32") number = static_cast<float>(number);
  if (std::isfinite(number)) return typed(name_of(kind), json(number).dump());
  const char* text = std::isnan(number) ? "NAN" : number > 0 ? "INF" : "-INF";
  return start_of(name_of(kind), "VD") + "\"" + text + "\"}";
}

std::optional<std::string> int_text(const PirKind& kind, int64_t number) {
  if (kind.name == "a_i32" && number != static_cast<int32_t>(number)) return std::nullopt;
  return typed(name_of(kind), std::to_string(number));
}

/// A number of the kind that it has.
std::optional<std::string> scalar_text(const Number& number) {
  if (const auto* yes = std::get_if<bool>(&number)) return bool_text(*yes);
  if (const auto* whole = std::get_if<int64_t>(&number)) return of_kind("a_i64", std::to_string(*whole));
  if (const auto* x = std::get_if<double>(&number)) return float_text(*find_pir_attribute("a_f64"), *x);
  return std::nullopt;
}

template <class List, class Text>
std::optional<std::string> array(const std::optional<List>& list, const Text& text_of) {
  if (!list) return std::nullopt;
  std::vector<std::string> items;
  for (const auto& item : *list) {
    std::optional<std::string> text = text_of(item);
    if (!text) return std::nullopt;
    items.push_back(std::move(*text));
  }
  return pir_list_text(items);
}

template <class T, class Text>
std::optional<std::string> one(const std::optional<T>& value, const Text& text_of) {
  if (!value) return std::nullopt;
  return text_of(*value);
}

}  // namespace

std::string pir_quoted(std::string_view text) { return json_line(text); }

std::string pir_type_text(const PirType& type) {
  if (type.is_list) {
    std::vector<std::string> elements;
    for (const PirType& element : type.elements) elements.push_back(pir_type_text(element));
    return typed("0.t_vec", "[" + joined(elements, ",") + "]");
  }
  const std::string start = R"([{"#":"0.)" + element_type(type.dtype) + "\"}," + dims_text(type.dims) + R"(,"NCHW")";
  if (type.kind == VariableKind::tensor_array) return typed("1.t_dense_tensor_array", start + "]");
  return typed("0.t_dtensor", start + ",[],0]");
}

std::optional<std::string> pir_value_text(std::string_view kind, const AttributeValue& value) {
  const Attribute attr{"", value};
  const bool list = kind.ends_with("[]");
  if (list) kind.remove_suffix(2);
  const PirKind* known = find_pir_attribute("a_" + std::string(kind));
  if (!known) return std::nullopt;
  const auto as_whole = [&](int64_t x) { return int_text(*known, x); };
  const auto as_real = [&](double x) { return std::optional(float_text(*known, x)); };
  const auto as_flag = [](bool x) { return std::optional(bool_text(x)); };
  const auto as_text = [&](const std::string& x) { return std::optional(typed(name_of(*known), pir_quoted(x))); };
  const auto as_dtype = [&](Dtype x) { return as_text(x == Dtype::undefined ? kNoDtype : std::string(dtype_name(x))); };
  switch (known->form) {
    case PirForm::integer: return list ? array(attr.as_ints(), as_whole) : one(attr.as_int(), as_whole);
    case PirForm::real: return list ? array(attr.as_floats(), as_real) : one(attr.as_float(), as_real);
    case PirForm::text: return list ? array(attr.as_strings(), as_text) : one(attr.as_string(), as_text);
    case PirForm::boolean: return one(attr.as_bool(), as_flag);
    case PirForm::dtype: return one(attr.as_dtype(), as_dtype);
    case PirForm::absent: return typed(name_of(*known), R"([0,0,""])");  // a place: Paddle chooses
    case PirForm::integers: {
      const auto ints = attr.as_ints();
      return ints ? std::optional(typed(name_of(*known), json(*ints).dump())) : std::nullopt;
    }
    case PirForm::scalar: {
      const auto numbers = attr.as_scalars();
      if (list) return array(numbers, scalar_text);
      return numbers && numbers->size() == 1 ? scalar_text(numbers->front()) : std::nullopt;
    }
    case PirForm::complex:
    case PirForm::list: break;
  }
  return std::nullopt;
}

std::string pir_list_text(const std::vector<std::string>& items) {
  return of_kind("a_array", "[" + joined(items, ",") + "]");
}

std::string pir_attr_text(std::string_view name, const std::string& value) {
  return R"({"AT":)" + value + R"(,"N":)" + pir_quoted(name) + "}";
}

std::optional<AttributeValue> pir_fallback(std::string_view text) {
  if (text.empty()) return std::nullopt;
  const auto number = [](const json& x) -> Number {
    if (x.is_boolean()) return x.get<bool>();
    if (x.is_number_integer()) return x.get<int64_t>();
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
