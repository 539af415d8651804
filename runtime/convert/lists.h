// What generated converters do with lists and numbers that are known while converting.
#pragma once

#include <algorithm>
#include <numeric>
#include <tuple>
#include <type_traits>
#include <utility>

#include "runtime/convert/compute.h"
#include "runtime/support/limits.h"

namespace fluid2onnx {

template <class List>
int64_t length(const List& list) {
  return static_cast<int64_t>(list.size());
}

/// The items of a list of known length.
inline const std::vector<Dim>& items(OpContext& op, const Dims& dims, const char* what) {
  length(op, dims, what);
  return dims.items;
}
/// A copy: a loop over the items of a temporary would outlive it.
inline std::vector<Dim> items(OpContext& op, Dims&& dims, const char* what) {
  length(op, dims, what);
  return std::move(dims.items);
}

template <class List, class T>
bool contains(const List& list, const T& x) {
  count_steps(list.size());
  return std::find(list.begin(), list.end(), x) != list.end();
}

template <class List>
List repeat(const List& list, int64_t times) {
  List out;
  for ([[maybe_unused]] const int64_t i : range(0, times)) {
    count_steps(list.size());
    out.insert(out.end(), list.begin(), list.end());
  }
  return out;
}
inline Dims repeat(const Dims& list, int64_t times) { return Dims(repeat(list.items, times)); }

template <class A, class B>
auto zip(const A& a, const B& b) {
  std::vector<std::pair<typename A::value_type, typename B::value_type>> out;
  for (size_t i = 0; i < std::min(a.size(), b.size()); ++i) out.emplace_back(a[i], b[i]);
  return out;
}

template <class A, class B, class... More>
auto zip(const A& a, const B& b, const More&... more) requires(sizeof...(More) > 0) {
  std::vector<std::tuple<typename A::value_type, typename B::value_type, typename More::value_type...>> out;
  for (size_t i = 0; i < std::min({a.size(), b.size(), more.size()...}); ++i) out.emplace_back(a[i], b[i], more[i]...);
  return out;
}

/// [f(a, b) for a, b in zip(as, bs)]: as long as the shortest list.
template <class To, class F, class List, class... Lists>
To each(F&& f, const List& list, const Lists&... lists) {
  To to;
  const size_t count = std::min({list.size(), lists.size()...});
  count_steps(count);
  for (size_t i = 0; i < count; ++i) {
    if constexpr (std::is_same_v<To, Dims>) to.items.push_back(f(list[i], lists[i]...));
    else to.push_back(f(list[i], lists[i]...));
  }
  return to;
}
/// The concatenated lists that f returns: [g(a, b) for a in as for b in bs].
template <class To, class F, class List, class... Lists>
To each_of(F&& f, const List& list, const Lists&... lists) {
  To to;
  const size_t count = std::min({list.size(), lists.size()...});
  count_steps(count);
  for (size_t i = 0; i < count; ++i) {
    const To part = f(list[i], lists[i]...);
    if constexpr (std::is_same_v<To, Dims>) {
      to.items.insert(to.items.end(), part.items.begin(), part.items.end());
    } else {
      if (i == 0) to.reserve(std::min<size_t>(count * part.size(), limits::kModelSteps));  // most are equally long
      to.insert(to.end(), part.begin(), part.end());
    }
  }
  return to;
}
/// As each(), for the items for which `wanted` is true.
template <class To, class Wanted, class F, class List, class... Lists>
To each_if(Wanted&& wanted, F&& f, const List& list, const Lists&... lists) {
  To to;
  const size_t count = std::min({list.size(), lists.size()...});
  count_steps(count);
  for (size_t i = 0; i < count; ++i) {
    if (!wanted(list[i], lists[i]...)) continue;
    if constexpr (std::is_same_v<To, Dims>) to.items.push_back(f(list[i], lists[i]...));
    else to.push_back(f(list[i], lists[i]...));
  }
  return to;
}

/// The characters of a text as numbers.
inline Ints codes(const std::string& text) { return Ints(text.begin(), text.end()); }
inline Ints sorted(Ints list) {
  std::sort(list.begin(), list.end());
  return list;
}
inline int64_t index_of(const Ints& list, int64_t x) {
  count_steps(list.size());
  const auto it = std::find(list.begin(), list.end(), x);
  return it == list.end() ? -1 : it - list.begin();
}

template <class List>
auto sum_of(const List& list) {
  return std::accumulate(list.begin(), list.end(), typename List::value_type{});
}
template <class List>
auto product_of(const List& list) {
  return std::accumulate(list.begin(), list.end(), typename List::value_type{1}, std::multiplies<>());
}
/// Throws E_BAD_PROGRAM: what a recipe compares comes from operands and attributes.
[[noreturn]] void nothing_to_compare();
template <class List>
auto min_of(const List& list) {
  if (list.empty()) nothing_to_compare();
  return *std::min_element(list.begin(), list.end());
}
template <class List>
auto max_of(const List& list) {
  if (list.empty()) nothing_to_compare();
  return *std::max_element(list.begin(), list.end());
}
inline bool all_of(const Bools& list) { return std::find(list.begin(), list.end(), false) == list.end(); }
inline bool any_of(const Bools& list) { return std::find(list.begin(), list.end(), true) != list.end(); }

/// Numbers as numbers of a wider type.
template <class To, class From>
To convert(const From& from) {
  To to;
  for (const auto& x : from) to.push_back(static_cast<typename To::value_type>(x));
  return to;
}

inline Operands operands(const Values& values) { return Operands(values.begin(), values.end()); }

// Constants whose dtype is not taken from sibling operands: of a shape, 1-D from a list, 0-D from a number. A number
// fills its shape.
inline Constant constant_data(Ints data, Dtype dtype, Ints shape) { return {std::move(data), std::move(shape), dtype}; }
inline Constant constant_data(Floats data, Dtype dtype, Ints shape) {
  return {std::move(data), std::move(shape), dtype};
}
inline Constant constant_data(Bools data, Dtype dtype, Ints shape) {
  return {std::move(data), std::move(shape), dtype};
}
template <class List>
Constant constant_data(const List& data, Dtype dtype) requires(!std::is_arithmetic_v<List>) {
  return constant_data(data, dtype, Ints{length(data)});
}
template <class Number>
Constant constant_data(Number data, Dtype dtype, const Ints& shape = {}) requires(std::is_arithmetic_v<Number>) {
  const auto count = static_cast<size_t>(std::accumulate(shape.begin(), shape.end(), int64_t{1}, std::multiplies<>()));
  if constexpr (std::is_same_v<Number, bool>) return constant_data(Bools(count, data), dtype, shape);
  else if constexpr (std::is_floating_point_v<Number>) return constant_data(Floats(count, data), dtype, shape);
  else return constant_data(Ints(count, data), dtype, shape);
}
template <class Data, class... Shape>
Value constant(OpContext& op, const Data& data, Dtype dtype, const Shape&... shape) {
  return op.tensor(constant_data(data, dtype, shape...));
}

/// Parses a number, also inf and nan. Refuses the operator if the text is not a number.
double number(OpContext& op, const std::string& text);

// How refusals show values.
std::string show(const std::string& text);
std::string show(bool value);
std::string show(int64_t value);
std::string show(double value);
std::string show(Dtype value);
std::string show(const Dim& value);
template <class List>
std::string show(const List& list) requires requires {
  list.begin();
}
{
  std::string out;
  size_t shown = 0;
  for (const auto& x : list) {
    if (++shown > limits::kShownItems) {
      out += ", ... " + std::to_string(list.size()) + " items";
      break;
    }
    out += (out.empty() ? "" : ", ") + show(x);
  }
  return "[" + out + "]";
}
inline std::string show(const Dims& dims) { return dims.sized() ? show(dims.items) : "[?]"; }

/// The smallest and largest finite number of a dtype, as a double (exact for all but 64-bit integers' maxima).
double lowest(Dtype dtype);
double highest(Dtype dtype);

}  // namespace fluid2onnx
