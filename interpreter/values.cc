#include "interpreter/values.h"

#include <array>
#include <stdexcept>
#include <type_traits>

namespace fluid2onnx::interpreter {
namespace {

using opgen::Base;

struct Row {
  Base base;
  Kind one_kind, list_kind;
};

template <class T>
Kind kind() {
  return Any(std::in_place_type<T>).index();
}

const std::array<Row, 9>& rows() {
  static const std::array<Row, 9> table{{
      {Base::boolean, kind<bool>(), kind<Bools>()},
      {Base::integer, kind<int64_t>(), kind<Ints>()},
      {Base::floating, kind<double>(), kind<Floats>()},
      {Base::string, kind<std::string>(), kind<Strings>()},
      {Base::dtype, kind<Dtype>(), kind<Dtypes>()},
      {Base::dim, kind<Dim>(), kind<Dims>()},
      {Base::scalar, kind<Scalar>(), kind<Scalars>()},
      {Base::tensor, kind<Value>(), kind<Values>()},
      {Base::operand, kind<Operand>(), kind<Operands>()},
  }};
  return table;
}

const Row* row_of(const opgen::Type& type) {
  for (const Row& row : rows())
    if (row.base == type.base) return &row;
  return nullptr;
}

[[noreturn]] void misfit() { throw std::logic_error("a value of a recipe is not of the type that its place has"); }

/// Implicit conversions are those of the types themselves, but no number is narrowed, and no bool becomes one.
template <class To, class From>
constexpr bool converts() {
  if constexpr (std::is_pointer_v<From>) return false;
  else if constexpr (std::is_same_v<To, Operand>) return std::is_convertible_v<From, To>;
  else if constexpr (std::is_same_v<From, bool>) return false;
  else if constexpr (std::is_same_v<To, double> || std::is_same_v<To, Dim>) return std::is_same_v<From, int64_t>;
  else return !std::is_arithmetic_v<To> && std::is_convertible_v<From, To>;
}

template <class To>
Any to(Any value) {
  return std::visit(
      [](auto&& from) -> Any {
        using From = std::decay_t<decltype(from)>;
        if constexpr (converts<To, From>()) return Any(std::in_place_type<To>, std::forward<decltype(from)>(from));
        misfit();
      },
      std::move(value));
}

using Conversion = Any (*)(Any);
template <size_t... Indices>
constexpr std::array<Conversion, sizeof...(Indices)> conversions(std::index_sequence<Indices...>) {
  return {&to<std::variant_alternative_t<Indices, Any>>...};
}
constexpr auto kConversions = conversions(std::make_index_sequence<std::variant_size_v<Any>>());

template <class T>
Any initial() {
  return Any(std::in_place_type<T>);
}
template <size_t... Indices>
constexpr std::array<Any (*)(), sizeof...(Indices)> initials(std::index_sequence<Indices...>) {
  return {&initial<std::variant_alternative_t<Indices, Any>>...};
}
constexpr auto kInitials = initials(std::make_index_sequence<std::variant_size_v<Any>>());

template <class T>
constexpr bool kIsList = false;
template <class T>
constexpr bool kIsList<std::vector<T>> = true;

template <class List>
Any filled(std::vector<Any> items) {
  List list;
  for (Any& item : items) list.push_back(take<typename List::value_type>(std::move(item)));
  return list;
}

}  // namespace

Kind kind_of(const opgen::Type& type) {
  if (const Row* row = row_of(type)) return type.list ? row->list_kind : row->one_kind;
  return kind<const NodeBuilder*>();
}

Any literal(const opgen::lowered::Literal& value) {
  return std::visit(
      [](const auto& v) -> Any {
        if constexpr (std::is_same_v<std::decay_t<decltype(v)>, opgen::lowered::DtypeName>)
          return dtype_from_name(v.name).value_or(Dtype::undefined);
        else return v;
      },
      value);
}

Any nothing(Kind kind) { return kInitials[kind](); }

Any as(Kind kind, Any value) {
  if (value.index() == kind) return value;
  return kConversions[kind](std::move(value));
}

std::vector<Any> elements(const Any& list) {
  return std::visit(
      [](const auto& l) -> std::vector<Any> {
        using List = std::decay_t<decltype(l)>;
        if constexpr (std::is_same_v<List, Bools>) {
          std::vector<Any> bools;
          for (const bool b : l) bools.emplace_back(b);
          return bools;
        } else if constexpr (kIsList<List>) {
          return std::vector<Any>(l.begin(), l.end());
        } else if constexpr (std::is_same_v<List, Dims>) {
          return std::vector<Any>(l.items.begin(), l.items.end());
        } else {
          misfit();
        }
      },
      list);
}

Any list_of(Kind kind, std::vector<Any> items) {
  if (kind == interpreter::kind<Bools>()) return filled<Bools>(std::move(items));
  if (kind == interpreter::kind<Ints>()) return filled<Ints>(std::move(items));
  if (kind == interpreter::kind<Floats>()) return filled<Floats>(std::move(items));
  if (kind == interpreter::kind<Strings>()) return filled<Strings>(std::move(items));
  if (kind == interpreter::kind<Dtypes>()) return filled<Dtypes>(std::move(items));
  if (kind == interpreter::kind<Scalars>()) return filled<Scalars>(std::move(items));
  if (kind == interpreter::kind<Values>()) return filled<Values>(std::move(items));
  if (kind == interpreter::kind<Operands>()) return filled<Operands>(std::move(items));
  if (kind != interpreter::kind<Dims>()) misfit();
  Dims dims;
  for (Any& item : items) dims.items.push_back(take<Dim>(std::move(item)));
  return dims;
}

Attr attribute(const std::string& name, Any value) {
  return std::visit(
      [&](auto&& v) -> Attr {
        if constexpr (std::is_constructible_v<Attr, std::string, decltype(v)>)
          return Attr(name, std::forward<decltype(v)>(v));
        else misfit();
      },
      std::move(value));
}

}  // namespace fluid2onnx::interpreter
