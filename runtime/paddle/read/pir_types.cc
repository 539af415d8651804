#include "runtime/paddle/read/pir_types.h"

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>
#include <utility>

#include "runtime/paddle/program/pir_names.h"
#include "runtime/support/limits.h"

namespace fluid2onnx {
namespace {

using nlohmann::json;

/// The part behind the dialect.
std::string json_kind(const json& typed) {
  const std::string name = pir_string(pir_member(typed, "#"));
  return name.substr(name.find('.') + 1);
}

const json& data_of(const json& typed) { return pir_member(typed, "D"); }

Dtype element_type(const json& type) {
  const std::string kind = json_kind(type);
  for (const auto& [name, dtype] : kPirElementTypes) {
    if (kind == name) return dtype;
  }
  return Dtype::undefined;
}

Shape read_dims(const json& list) {
  Shape dims;
  for (const json& dim : pir_array(list, "the dims of a type")) dims.push_back(std::max<int64_t>(pir_int(dim), -1));
  return dims;
}

/// [element type, dims, ...], which all tensors have.
void read_tensor(const json& type, PirType* result) {
  const json& data = pir_array(data_of(type), "a tensor's type");
  if (data.size() < 2) throw PirProblem("a tensor's type without element type and dims");
  result->dtype = element_type(data[0]);
  result->dims = read_dims(data[1]);
}

PirType read_type(const json& type, int depth) {
  PirType result;
  if (depth > limits::kTypeDepth) throw PirProblem("types are nested too deeply");
  const std::string kind = json_kind(type);
  if (kind == "t_vec") {
    result.is_list = true;
    for (const json& element : pir_array(data_of(type), "a list's type")) {
      result.elements.push_back(read_type(element, depth + 1));
    }
  } else if (kind == "t_dtensor") {
    read_tensor(type, &result);
  } else if (kind == "t_dense_tensor_array") {
    read_tensor(type, &result);
    result.kind = VariableKind::tensor_array;
  } else if (kind == "t_selected_rows") {
    result.kind = VariableKind::selected_rows;
  } else if (kind.starts_with("t_sparse")) {
    result.kind = VariableKind::sparse;
  } else {
    result.kind = VariableKind::other;
  }
  return result;
}

double read_float(const json& attribute) {
  if (const auto special = attribute.find("VD"); special != attribute.end()) {
    const std::string text = pir_string(*special);
    if (text == "NaN" || text == "NAN") return std::numeric_limits<double>::quiet_NaN();
    if (text == "INF") return std::numeric_limits<double>::infinity();
    if (text == "-INF") return -std::numeric_limits<double>::infinity();
    throw PirProblem("a number called '" + text + "'");
  }
  const json& data = data_of(attribute);
  if (!data.is_number()) throw PirProblem(std::string("expected a number, not ") + data.type_name());
  return data.get<double>();
}

bool read_bool(const json& data) {
  if (data.is_boolean()) return data.get<bool>();
  return pir_int(data) != 0;
}

std::complex<double> read_complex(const json& data) {
  if (pir_array(data, "a complex number").size() != 2 || !data[0].is_number() || !data[1].is_number()) {
    throw PirProblem("expected real and imaginary part of a complex number");
  }
  return {data[0].get<double>(), data[1].get<double>()};
}

Dtype read_dtype(const json& data) {
  const std::string name = pir_string(data);
  const auto dtype = dtype_from_name(name);
  const bool none = name.empty() || name == "undefined" || name.starts_with("Undefined(");
  if (!dtype && !none) throw PirProblem("a dtype called '" + name + "'");
  return dtype.value_or(Dtype::undefined);
}

/// ["float32", 1.5]
AttributeValue read_scalar(const json& data) {
  if (pir_array(data, "a scalar").size() < 2) throw PirProblem("expected the dtype and value of a scalar");
  const json& value = data[1];
  if (value.is_boolean()) return value.get<bool>();
  if (value.is_number_integer()) return pir_int(value);
  if (value.is_number()) return value.get<double>();
  throw PirProblem(std::string("expected a number, not ") + value.type_name());
}

std::vector<int64_t> read_ints(const json& data) {
  std::vector<int64_t> ints;
  for (const json& item : pir_array(data, "a list of integers")) ints.push_back(pir_int(item));
  return ints;
}

/// The items as a list of T; empty if one of them is something else.
template <class T>
std::optional<AttributeValue> list_of_type(const std::vector<AttributeValue>& items) {
  std::vector<T> list;
  for (const AttributeValue& item : items) {
    const T* value = std::get_if<T>(&item);
    if (!value) return std::nullopt;
    list.push_back(*value);
  }
  return list;
}

std::optional<AttributeValue> numbers_of(const std::vector<AttributeValue>& items) {
  std::vector<Number> list;
  for (const AttributeValue& item : items) {
    if (const auto* flag = std::get_if<bool>(&item)) list.emplace_back(*flag);
    else if (const auto* integer = std::get_if<int64_t>(&item)) list.emplace_back(*integer);
    else if (const auto* real = std::get_if<double>(&item)) list.emplace_back(*real);
    else if (const auto* both = std::get_if<std::complex<double>>(&item)) list.emplace_back(*both);
    else return std::nullopt;
  }
  return list;
}

/// Each item has its own kind, but nearly always the same. Nothing for lists of anything else.
std::optional<AttributeValue> read_list(const json& data) {
  std::vector<AttributeValue> items;
  for (const json& item : pir_array(data, "a list of attributes")) {
    // Lists of lists do not occur in what inference reads.
    if (json_kind(item) == "a_array") return std::nullopt;
    std::optional<AttributeValue> value = read_pir_attribute(item);
    if (!value) return std::nullopt;
    items.push_back(std::move(*value));
  }
  if (auto ints = list_of_type<int64_t>(items)) return ints;
  if (auto floats = list_of_type<double>(items)) return floats;
  if (auto bools = list_of_type<bool>(items)) return bools;
  if (auto strings = list_of_type<std::string>(items)) return strings;
  return numbers_of(items);
}

}  // namespace

const json& pir_member(const json& value, const char* key) {
  if (!value.is_object()) throw PirProblem(std::string("expected an object, not ") + value.type_name());
  const auto found = value.find(key);
  if (found == value.end()) throw PirProblem("member '" + std::string(key) + "' is missing");
  return *found;
}

const json& pir_array(const json& value, const char* what) {
  if (!value.is_array()) throw PirProblem(std::string(what) + " is " + value.type_name() + ", expected an array");
  return value;
}

int64_t pir_int(const json& value) {
  if (value.is_number_unsigned()) {
    const auto number = value.get<uint64_t>();
    if (number > static_cast<uint64_t>(std::numeric_limits<int64_t>::max())) {
      throw PirProblem("the number " + std::to_string(number) + " is too large");
    }
    return static_cast<int64_t>(number);
  }
  if (value.is_number_integer()) return value.get<int64_t>();
  if (value.is_number()) {
    if (const auto whole = Attribute{"", value.get<double>()}.as_int()) return *whole;
  }
  throw PirProblem(std::string("expected an integer, not ") + (value.is_number() ? value.dump() : value.type_name()));
}

std::string pir_string(const json& value) {
  if (!value.is_string()) throw PirProblem(std::string("expected a string, not ") + value.type_name());
  return value.get<std::string>();
}

std::string pir_full_name(const std::string& name) {
  const size_t dot = name.find('.');
  for (const auto& [id, dialect] : kPirDialects) {
    if (name.compare(0, dot, id) == 0 && dot != std::string::npos) return std::string(dialect) + name.substr(dot);
  }
  return name;
}

PirType read_pir_type(const json& type) { return read_type(type, 0); }

bool is_absent_pir_attribute(const json& attribute) {
  const PirKind* kind = find_pir_attribute(json_kind(attribute));
  return kind && kind->form == PirForm::absent;
}

std::optional<AttributeValue> read_pir_attribute(const json& attribute) {
  const PirKind* kind = find_pir_attribute(json_kind(attribute));
  if (!kind) return std::nullopt;
  switch (kind->form) {
    case PirForm::boolean: return read_bool(data_of(attribute));
    case PirForm::real: return read_float(attribute);
    case PirForm::integer: return pir_int(data_of(attribute));
    case PirForm::text: return pir_string(data_of(attribute));
    case PirForm::dtype: return read_dtype(data_of(attribute));
    case PirForm::integers: return read_ints(data_of(attribute));
    case PirForm::scalar: return read_scalar(data_of(attribute));
    case PirForm::complex: return read_complex(data_of(attribute));
    case PirForm::list: return read_list(data_of(attribute));
    case PirForm::absent: break;
  }
  return std::nullopt;
}

}  // namespace fluid2onnx
