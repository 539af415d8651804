#include "runtime/paddle/program/attribute_text.h"

#include <cmath>
#include <nlohmann/json.hpp>

#include "runtime/support/json_text.h"
#include "runtime/support/overloaded.h"

namespace fluid2onnx {
namespace {

using nlohmann::json;

constexpr size_t kMostInJson = 1000, kMostInText = 8;

/// JSON has no other numbers than finite ones.
json real_json(double number) {
  if (std::isfinite(number)) return number;
  return std::isnan(number) ? "nan" : number > 0 ? "inf" : "-inf";
}

json number_json(const Number& number) {
  return std::visit(Overloaded{[](const std::complex<double>& c) {
                                 return json{real_json(c.real()), real_json(c.imag())};
                               },
                               [](double x) { return real_json(x); }, [](const auto& plain) { return json(plain); }},
                    number);
}

template <class T>
json list_json(const std::vector<T>& list) {
  if (list.size() > kMostInJson) return {{"elements", list.size()}};
  json result = json::array();
  for (const T& element : list) {
    if constexpr (std::is_same_v<T, Number>) result.push_back(number_json(element));
    else if constexpr (std::is_same_v<T, double>) result.push_back(real_json(element));
    else result.push_back(element);
  }
  return result;
}

}  // namespace

json attribute_json(const Attribute& attribute) {
  return std::visit(
      Overloaded{
          [](const std::complex<double>& c) {
            return json{real_json(c.real()), real_json(c.imag())};
          },
          [](double x) { return real_json(x); },
          [](const Dtype& dtype) { return json(std::string(dtype_name(dtype))); },
          [](const BlockRefs& refs) {
            return refs.blocks.size() == 1 ? json{{"block", refs.blocks[0]}} : json{{"blocks", refs.blocks}};
          },
          [](const VariableRefs& refs) {
            return refs.is_list || refs.names.empty() ? json{{"variables", refs.names}}
                                                      : json{{"variable", refs.names[0]}};
          },
          []<class T>(const std::vector<T>& list) { return list_json(list); },
          [](const auto& plain) { return json(plain); },
      },
      attribute.value);
}

std::string attribute_text(const Attribute& attribute) {
  const json value = attribute_json(attribute);
  std::string text = attribute.name + "=";
  if (!value.is_array()) return text + json_line(value);
  text += "[";
  for (size_t i = 0; i < value.size() && i < kMostInText; ++i) text += (i > 0 ? ", " : "") + json_line(value[i]);
  if (value.size() > kMostInText) text += ", ... of " + std::to_string(value.size());
  return text + "]";
}

}  // namespace fluid2onnx
