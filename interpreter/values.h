// Values by the types of the language.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "generator/expr/types.h"
#include "generator/lower/form.h"
#include "interpreter/any.h"

namespace fluid2onnx::interpreter {

/// Which alternative of Any holds values of a type.
using Kind = size_t;
Kind kind_of(const opgen::Type& type);

Any literal(const opgen::lowered::Literal& value);
/// The initial value of a declared variable: an absent tensor, 0, an empty list.
Any nothing(Kind kind);
/// The implicit conversions of C++ in compiled converters, such as a number where a Dim is expected.
Any as(Kind kind, Any value);
template <class T>
T take(Any value) {
  return std::get<T>(as(Any(std::in_place_type<T>).index(), std::move(value)));
}

std::vector<Any> elements(const Any& list);
Any list_of(Kind kind, std::vector<Any> elements);
Attr attribute(const std::string& name, Any value);

}  // namespace fluid2onnx::interpreter
