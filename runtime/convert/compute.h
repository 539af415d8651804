// Arithmetic on numbers that may be known only at run time, for generated converters.
//
// Every function folds when all its arguments are known and emits ONNX nodes otherwise.
#pragma once

#include <optional>

#include "runtime/convert/op_context.h"

namespace fluid2onnx {

// int64 arithmetic; division and remainder round down (Python's // and %).
Dim add(OpContext& op, const Dim& a, const Dim& b);
Dim sub(OpContext& op, const Dim& a, const Dim& b);
Dim mul(OpContext& op, const Dim& a, const Dim& b);
Dim floordiv(OpContext& op, const Dim& a, const Dim& b);
Dim mod(OpContext& op, const Dim& a, const Dim& b);
Dim min(OpContext& op, const Dim& a, const Dim& b);
Dim max(OpContext& op, const Dim& a, const Dim& b);
Dim neg(OpContext& op, const Dim& a);
/// The product of all items; 1 for none. Known and unknown items are each multiplied once.
Dim product(OpContext& op, const Dims& dims);

Scalar add(OpContext& op, const Scalar& a, const Scalar& b);
Scalar sub(OpContext& op, const Scalar& a, const Scalar& b);
Scalar mul(OpContext& op, const Scalar& a, const Scalar& b);
Scalar div(OpContext& op, const Scalar& a, const Scalar& b);
Scalar neg(OpContext& op, const Scalar& a);
/// float32 of an integer.
Scalar to_scalar(OpContext& op, const Dim& a);
/// Rounds towards minus infinity (towards zero for `truncate`) and gives an integer.
Dim floor(OpContext& op, const Scalar& a);
Dim truncate(OpContext& op, const Scalar& a);

/// The only element of an int tensor of one element.
Dim dim_of(OpContext& op, Value x);
/// The elements of a 1-D int tensor; known ones when it is constant, unsized when its length is unknown.
Dims dims_of(OpContext& op, Value x);

// What must be known now. `what` names it for the refusal: "'pads'", "the size of axis 2 of X".
int64_t known(OpContext& op, const Dim& a, const char* what);
Ints known(OpContext& op, const Dims& a, const char* what);
double known(OpContext& op, const Scalar& a, const char* what);
Floats known(OpContext& op, const Scalars& a, const char* what);
bool is_known(const Dims& a);
bool is_known(const Scalars& a);
/// The operand as a constant, if all of it is known and it has no tensor yet.
std::optional<Constant> known_constant(const Operand& operand);
/// Number of items; refuses when unsized.
int64_t length(OpContext& op, const Dims& a, const char* what);
const Dim& item(OpContext& op, const Dims& a, int64_t index, const char* what);

// The language's own rules, for ints and floats known now.
int64_t floordiv(int64_t a, int64_t b);
int64_t mod(int64_t a, int64_t b);
int64_t ipow(int64_t a, int64_t b);
/// Rounds towards zero. E_OVERFLOW for NaN, infinities and numbers outside of int64.
int64_t to_integer(double value);
/// Counts items that list expressions visit. E_TOO_LARGE above limits::kModelSteps of a conversion: nested loops over
/// an attribute with a million items would take forever.
void count_steps(size_t items);
/// To be called before a conversion.
void restart_steps(uint64_t weight_bytes);
/// To be called before each recipe of it.
void allow_operator_steps();
/// E_TOO_LARGE above limits::kRangeEntries entries: a damaged size must not take all memory, or forever.
Ints range(int64_t from, int64_t to, int64_t step = 1);

/// The position of list[index]. Throws E_BAD_PROGRAM when the list, which the program gives, has none.
size_t position(int64_t index, size_t size);
/// Python's list[index] and list[from:to]: negative counts from the end.
template <class List>
const typename List::value_type& at(const List& list, int64_t index) {
  return list[position(index, list.size())];
}
inline bool at(const Bools& list, int64_t index) { return list[position(index, list.size())]; }
template <class List>
List slice(const List& list, int64_t from, int64_t to) {
  const auto n = static_cast<int64_t>(list.size());
  const auto clamp = [n](int64_t i) {
    i = i < 0 ? i + n : i;
    return i < 0 ? 0 : i > n ? n : i;
  };
  from = clamp(from);
  to = clamp(to);
  return from < to ? List(list.begin() + from, list.begin() + to) : List();
}
Dims slice(OpContext& op, const Dims& list, int64_t from, int64_t to);
constexpr int64_t to_end = INT64_MAX;

template <class List>
List concat(List a, const List& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}
Dims concat(OpContext& op, const Dims& a, const Dims& b);

}  // namespace fluid2onnx
