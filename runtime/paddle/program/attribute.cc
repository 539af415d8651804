#include "runtime/paddle/program/attribute.h"

#include <cmath>

#include "runtime/support/overloaded.h"

namespace fluid2onnx {
namespace {

constexpr double kTwoPow63 = 9223372036854775808.0;

std::optional<int64_t> integer_from(double number) {
  if (std::floor(number) != number || number < -kTwoPow63 || number >= kTwoPow63) {
    return std::nullopt;  // also NaN and the infinities
  }
  return static_cast<int64_t>(number);
}

std::optional<int64_t> integer_from(const Number& scalar) {
  if (const auto* b = std::get_if<bool>(&scalar)) return *b ? 1 : 0;
  if (const auto* i = std::get_if<int64_t>(&scalar)) return *i;
  if (const auto* d = std::get_if<double>(&scalar)) return integer_from(*d);
  return std::nullopt;
}

std::optional<double> real_from(const Number& scalar) {
  if (const auto* b = std::get_if<bool>(&scalar)) return *b ? 1.0 : 0.0;
  if (const auto* i = std::get_if<int64_t>(&scalar)) return static_cast<double>(*i);
  if (const auto* d = std::get_if<double>(&scalar)) return *d;
  // Paddle stores 0 for a complex tensor as 0+0j.
  if (const auto* c = std::get_if<std::complex<double>>(&scalar); c && c->imag() == 0.0) return c->real();
  return std::nullopt;
}

template <class T>
std::vector<Number> scalars_from(const std::vector<T>& list) {
  std::vector<Number> result;
  result.reserve(list.size());
  for (const auto& item : list) result.emplace_back(static_cast<T>(item));
  return result;
}

/// Converts each of the numbers, empty as soon as one can't be.
template <class T, class Convert>
std::optional<std::vector<T>> convert_all(const std::optional<std::vector<Number>>& numbers, Convert convert) {
  if (!numbers) return std::nullopt;
  std::vector<T> result;
  result.reserve(numbers->size());
  for (const Number& number : *numbers) {
    const std::optional<T> converted = convert(number);
    if (!converted) return std::nullopt;
    result.push_back(*converted);
  }
  return result;
}

template <class T>
std::optional<T> only(const std::optional<std::vector<T>>& list) {
  if (!list || list->size() != 1) return std::nullopt;
  return list->front();
}

}  // namespace

std::optional<std::vector<Number>> Attribute::as_scalars() const {
  using Result = std::optional<std::vector<Number>>;
  return std::visit(Overloaded{
                        [](bool v) -> Result { return {{Number(v)}}; },
                        [](int64_t v) -> Result { return {{Number(v)}}; },
                        [](double v) -> Result { return {{Number(v)}}; },
                        [](const std::complex<double>& v) -> Result { return {{Number(v)}}; },
                        [](const std::vector<bool>& v) -> Result { return scalars_from(v); },
                        [](const std::vector<int64_t>& v) -> Result { return scalars_from(v); },
                        [](const std::vector<double>& v) -> Result { return scalars_from(v); },
                        [](const std::vector<Number>& v) -> Result { return v; },
                        [](const auto&) -> Result { return std::nullopt; },
                    },
                    value);
}

std::optional<bool> Attribute::as_bool() const {
  if (const auto* flag = std::get_if<bool>(&value)) return *flag;
  if (const auto* number = std::get_if<int64_t>(&value)) return *number != 0;
  return std::nullopt;
}

std::optional<int64_t> Attribute::as_int() const { return only(as_ints()); }

std::optional<double> Attribute::as_float() const { return only(as_floats()); }

std::optional<std::string> Attribute::as_string() const {
  const auto* text = std::get_if<std::string>(&value);
  return text ? std::optional(*text) : std::nullopt;
}

std::optional<Dtype> Attribute::as_dtype() const {
  if (const auto* dtype = std::get_if<Dtype>(&value)) return *dtype;
  if (const auto* id = std::get_if<int64_t>(&value)) {
    const Dtype dtype = dtype_from_paddle(*id);
    if (dtype == Dtype::undefined && *id != -1) return std::nullopt;
    return dtype;
  }
  if (const auto* word = std::get_if<std::string>(&value)) return dtype_from_name(*word);
  return std::nullopt;
}

std::optional<std::vector<int64_t>> Attribute::as_ints() const {
  if (const auto* list = std::get_if<std::vector<int64_t>>(&value)) return *list;
  return convert_all<int64_t>(as_scalars(), [](const Number& s) { return integer_from(s); });
}

std::optional<std::vector<double>> Attribute::as_floats() const {
  if (const auto* list = std::get_if<std::vector<double>>(&value)) return *list;
  return convert_all<double>(as_scalars(), real_from);
}

std::optional<std::vector<std::string>> Attribute::as_strings() const {
  if (const auto* list = std::get_if<std::vector<std::string>>(&value)) return *list;
  if (const auto* text = std::get_if<std::string>(&value)) return std::vector<std::string>{*text};
  return std::nullopt;
}

const char* Attribute::kind_name() const {
  return std::visit(Overloaded{
                        [](bool) { return "a bool"; },
                        [](int64_t) { return "an integer"; },
                        [](double) { return "a float"; },
                        [](const std::complex<double>&) { return "a complex number"; },
                        [](const std::string&) { return "a string"; },
                        [](Dtype) { return "a dtype"; },
                        [](const std::vector<bool>&) { return "a list of bools"; },
                        [](const std::vector<int64_t>&) { return "a list of integers"; },
                        [](const std::vector<double>&) { return "a list of floats"; },
                        [](const std::vector<std::string>&) { return "a list of strings"; },
                        [](const std::vector<Number>&) { return "a list of numbers"; },
                        [](const BlockRefs&) { return "a sub-block"; },
                        [](const VariableRefs& v) { return v.is_list ? "a list of variables" : "a variable"; },
                    },
                    value);
}

Error Attribute::wrong_kind(std::string_view wanted) const {
  const std::string quoted = "'" + name + "'", expected = ", expected " + std::string(wanted);
  if (!as_variables()) return Error(E_ATTR_KIND, "attribute " + quoted + " is " + kind_name() + expected);
  Error error(E_ATTR_KIND, "attribute " + quoted + " is computed at run time" + expected);
  error.hint("export the model with a constant for " + quoted);
  return error;
}

}  // namespace fluid2onnx
