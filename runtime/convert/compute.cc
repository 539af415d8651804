#include "runtime/convert/compute.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "runtime/support/bits.h"
#include "runtime/support/error.h"
#include "runtime/support/limits.h"
#include "runtime/support/number_text.h"

namespace fluid2onnx {
namespace {

constexpr int kMod = 10;  // the opset that has Mod

thread_local int64_t steps_left = limits::kModelSteps;  // of the conversion that this thread runs

Dim run_time(Value v) {
  Dim d;
  d.source = Dim::Source::scalar;
  d.tensor = v;
  return d;
}

Value emit(OpContext& op, const char* type, const Operand& a, const Operand& b) { return op.node(type, {a, b}); }

bool is(const Dim& d, int64_t value) { return d.known() && d.known_value == value; }
bool is(const Scalar& s, double value) { return s.known() && s.known_value == value; }

/// The dim as a tensor: two numbers beside each other would have no dtype to follow.
Value tensor_of(OpContext& op, const Dim& d) { return op.tensor(d, Dtype::int64); }

Dim binary(OpContext& op, const char* type, const Dim& a, const Dim& b) {
  return run_time(emit(op, type, tensor_of(op, a), tensor_of(op, b)));
}

/// Sizes are never negative, which makes dividing them simpler.
bool never_negative(const Dim& d) { return d.known() ? d.known_value >= 0 : d.source == Dim::Source::shape_of; }

bool is_float(OpContext& op, Value v) { return is_floating(op.dtype(v)); }

/// A float tensor of one element, float32 unless it is a float already.
Operand as_float(OpContext& op, const Scalar& s) {
  if (s.known() || is_float(op, s.tensor)) return s;
  return op.node("Cast", {s.tensor}, {Attr("to", Dtype::float32)});
}

Scalar binary(OpContext& op, const char* type, const Scalar& a, const Scalar& b) {
  Operand x = as_float(op, a);
  Operand y = as_float(op, b);
  const auto* left = std::get_if<Value>(&x.rep());
  const auto* right = std::get_if<Value>(&y.rep());
  if (const auto* s = std::get_if<Scalar>(&x.rep()); s && !s->known()) left = &s->tensor;
  if (const auto* s = std::get_if<Scalar>(&y.rep()); s && !s->known()) right = &s->tensor;
  if (left && right && op.dtype(*left) != op.dtype(*right)) {
    y = op.node("Cast", {*right}, {Attr("to", op.dtype(*left))});
  }
  return op.tensor(op.node(type, {x, y}));
}

void check_overflow(bool overflow) {
  if (overflow) throw Error(E_OVERFLOW, "arithmetic on the model's attributes exceeds 64 bits");
}

}  // namespace

Dim add(OpContext& op, const Dim& a, const Dim& b) {
  if (a.known() && b.known()) {
    int64_t sum = 0;
    check_overflow(__builtin_add_overflow(a.known_value, b.known_value, &sum));
    return sum;
  }
  if (is(a, 0)) return b;
  if (is(b, 0)) return a;
  return binary(op, "Add", a, b);
}

Dim sub(OpContext& op, const Dim& a, const Dim& b) {
  if (a.known() && b.known()) {
    int64_t difference = 0;
    check_overflow(__builtin_sub_overflow(a.known_value, b.known_value, &difference));
    return difference;
  }
  if (is(b, 0)) return a;
  return binary(op, "Sub", a, b);
}

Dim mul(OpContext& op, const Dim& a, const Dim& b) {
  if (a.known() && b.known()) {
    int64_t product = 0;
    check_overflow(__builtin_mul_overflow(a.known_value, b.known_value, &product));
    return product;
  }
  if (is(a, 0) || is(b, 0)) return 0;
  if (is(a, 1)) return b;
  if (is(b, 1)) return a;
  return binary(op, "Mul", a, b);
}

Dim floordiv(OpContext& op, const Dim& a, const Dim& b) {
  if (a.known() && b.known()) return floordiv(a.known_value, b.known_value);
  if (is(b, 1)) return a;
  if (never_negative(a) && never_negative(b)) return binary(op, "Div", a, b);
  // Div rounds towards zero: one less when there is a remainder of the other sign.
  const Value x = tensor_of(op, a);
  const Value y = tensor_of(op, b);
  const Value quotient = emit(op, "Div", x, y);
  const Value rest = emit(op, "Sub", x, emit(op, "Mul", quotient, y));
  const Value other_sign = emit(op, "Less", emit(op, "Mul", rest, y), int64_t{0});
  const Value one_less = op.node("Cast", {other_sign}, {Attr("to", Dtype::int64)});
  return run_time(emit(op, "Sub", quotient, one_less));
}

Dim mod(OpContext& op, const Dim& a, const Dim& b) {
  if (a.known() && b.known()) return mod(a.known_value, b.known_value);
  if (is(b, 1)) return 0;
  if (op.opset() >= kMod) return binary(op, "Mod", a, b);
  // integer_reciprocal_times: ONNX Runtime makes y / x of (1 / x) * y.
  if (is(a, 1)) return mod(op, add(op, a, b), b);
  return sub(op, a, mul(op, floordiv(op, a, b), b));
}

Dim min(OpContext& op, const Dim& a, const Dim& b) {
  if (a.known() && b.known()) return std::min(a.known_value, b.known_value);
  return binary(op, "Min", a, b);
}

Dim max(OpContext& op, const Dim& a, const Dim& b) {
  if (a.known() && b.known()) return std::max(a.known_value, b.known_value);
  if (is(a, 0) && never_negative(b)) return b;
  if (is(b, 0) && never_negative(a)) return a;
  return binary(op, "Max", a, b);
}

Dim neg(OpContext& op, const Dim& a) { return sub(op, 0, a); }

Dim product(OpContext& op, const Dims& dims) {
  if (!dims.sized()) {
    return run_time(op.node("ReduceProd", {dims.unsized}, {Attr("keepdims", 0)}));
  }
  Dim known = 1;
  Dims unknown;
  for (const Dim& d : dims.items) {
    if (d.known()) known = mul(op, known, d);
    else unknown.items.push_back(d);
  }
  if (is(known, 0) || unknown.items.empty()) return known;
  Dim result;
  if (unknown.items.size() == 1) {
    result = unknown.items[0];
  } else {  // one vector, which is often a part of a shape, and one node
    result = run_time(op.node("ReduceProd", {op.tensor(unknown)}, {Attr("keepdims", 0)}));
  }
  return mul(op, result, known);
}

Scalar add(OpContext& op, const Scalar& a, const Scalar& b) {
  if (a.known() && b.known()) return a.known_value + b.known_value;
  return binary(op, "Add", a, b);
}

Scalar sub(OpContext& op, const Scalar& a, const Scalar& b) {
  if (a.known() && b.known()) return a.known_value - b.known_value;
  return binary(op, "Sub", a, b);
}

Scalar mul(OpContext& op, const Scalar& a, const Scalar& b) {
  if (a.known() && b.known()) return a.known_value * b.known_value;
  if (is(a, 1) && is_float(op, b.tensor)) return b;
  if (is(b, 1) && is_float(op, a.tensor)) return a;
  return binary(op, "Mul", a, b);
}

Scalar div(OpContext& op, const Scalar& a, const Scalar& b) {
  if (a.known() && b.known()) return a.known_value / b.known_value;
  if (is(b, 1) && is_float(op, a.tensor)) return a;
  return binary(op, "Div", a, b);
}

Scalar neg(OpContext& op, const Scalar& a) {
  if (a.known()) return -a.known_value;
  return op.tensor(op.node("Neg", {as_float(op, a)}));
}

Scalar to_scalar(OpContext& op, const Dim& a) {
  if (a.known()) return static_cast<double>(a.known_value);
  return op.node("Cast", {tensor_of(op, a)}, {Attr("to", Dtype::float32)});
}

namespace {

Dim rounded(OpContext& op, const Scalar& a, const char* by) {
  if (!a.known() && !is_float(op, a.tensor)) return dim_of(op, a.tensor);
  Operand x = as_float(op, a);
  if (by) x = op.node(by, {x});
  return dim_of(op, op.node("Cast", {x}, {Attr("to", Dtype::int64)}));
}

}  // namespace

Dim floor(OpContext& op, const Scalar& a) {
  return a.known() ? Dim(to_integer(std::floor(a.known_value))) : rounded(op, a, "Floor");
}
Dim truncate(OpContext& op, const Scalar& a) {
  return a.known() ? Dim(to_integer(a.known_value)) : rounded(op, a, nullptr);
}

Dim dim_of(OpContext& op, Value x) {
  if (op.is_const(x)) {
    const Ints ints = op.const_ints(x);
    if (ints.size() == 1) return ints[0];
    op.refuse(E_NOT_SCALAR, "expected one element, found " + std::to_string(ints.size()));
  }
  return op.only_element(x);
}

Dims dims_of(OpContext& op, Value x) {
  if (op.is_const(x)) return op.const_ints(x);
  Dims dims;
  if (op.rank_known(x) && op.rank(x) == 0) {
    dims.items.push_back(op.only_element(x));
    return dims;
  }
  const Dim length = op.rank_known(x) ? op.dim(x, 0) : Dim(-1);
  // A list of millions is no list of sizes, but a damaged one would take all memory.
  if (!length.known() || length.known_value < 0 || length.known_value > limits::kListItems || op.rank(x) != 1) {
    dims.unsized = x;
    return dims;
  }
  for (int64_t i = 0; i < length.known_value; ++i) dims.items.push_back(op.element(x, i));
  return dims;
}

// -- what must be known ----------------------------------------------------------------------------------------

namespace {

void refuse_unknown(OpContext& op, const char* what) {
  op.refuse(E_UNKNOWN_VALUE, std::string(what) + " must be known when the model is converted");
}

template <class List, class Items>
List known_values(const Items& items) {
  List values;
  for (const auto& item : items) values.push_back(item.known_value);
  return values;
}

}  // namespace

int64_t known(OpContext& op, const Dim& a, const char* what) {
  if (!a.known()) refuse_unknown(op, what);
  return a.known_value;
}

Ints known(OpContext& op, const Dims& a, const char* what) {
  if (!is_known(a)) refuse_unknown(op, what);
  return known_values<Ints>(a.items);
}

double known(OpContext& op, const Scalar& a, const char* what) {
  if (!a.known()) refuse_unknown(op, what);
  return a.known_value;
}

Floats known(OpContext& op, const Scalars& a, const char* what) {
  if (!is_known(a)) refuse_unknown(op, what);
  return known_values<Floats>(a);
}

bool is_known(const Dims& a) {
  return a.sized() && std::all_of(a.items.begin(), a.items.end(), [](const Dim& d) { return d.known(); });
}

bool is_known(const Scalars& a) {
  return std::all_of(a.begin(), a.end(), [](const Scalar& s) { return s.known(); });
}

std::optional<Constant> known_constant(const Operand& operand) {
  const auto count = [](const auto& list) { return static_cast<int64_t>(list.size()); };
  if (const auto* c = std::get_if<Constant>(&operand.rep())) return *c;
  if (const auto* d = std::get_if<Dim>(&operand.rep()); d && d->known()) return Constant{Ints{d->known_value}, {}, {}};
  if (const auto* s = std::get_if<Scalar>(&operand.rep()); s && s->known()) {
    return Constant{Floats{s->known_value}, {}, {}};
  }
  if (const auto* dims = std::get_if<Dims>(&operand.rep()); dims && is_known(*dims)) {
    return Constant{known_values<Ints>(dims->items), {count(dims->items)}, {}};
  }
  if (const auto* list = std::get_if<Scalars>(&operand.rep()); list && is_known(*list)) {
    return Constant{known_values<Floats>(*list), {count(*list)}, {}};
  }
  return std::nullopt;
}

int64_t length(OpContext& op, const Dims& a, const char* what) {
  if (!a.sized()) {
    op.refuse(E_UNKNOWN_LENGTH, "the length of " + std::string(what) + " must be known when the model is converted");
  }
  return static_cast<int64_t>(a.items.size());
}

const Dim& item(OpContext& op, const Dims& a, int64_t index, const char* what) {
  const int64_t n = length(op, a, what);
  const int64_t i = index < 0 ? index + n : index;
  if (i < 0 || i >= n) {
    op.refuse(E_INDEX, std::string(what) + " has " + std::to_string(n) + " entries; index " + std::to_string(index) +
                           " is out of range");
  }
  return a.items[static_cast<size_t>(i)];
}

// -- plain numbers ---------------------------------------------------------------------------------------------

int64_t floordiv(int64_t a, int64_t b) {
  if (b == 0) throw Error(E_DIVISION_BY_ZERO, "arithmetic on the model's attributes divides by zero");
  if (b == -1) {
    int64_t negated = 0;
    check_overflow(__builtin_sub_overflow(int64_t{0}, a, &negated));
    return negated;
  }
  return a / b - (a % b != 0 && (a < 0) != (b < 0) ? 1 : 0);
}

int64_t mod(int64_t a, int64_t b) {
  if (b == 0) throw Error(E_DIVISION_BY_ZERO, "arithmetic on the model's attributes divides by zero");
  if (b == -1) return 0;
  const int64_t r = a % b;
  return r != 0 && (r < 0) != (b < 0) ? r + b : r;
}

int64_t ipow(int64_t a, int64_t b) {
  if (b < 0) throw Error(E_BAD_PROGRAM, "an integer raised to the negative power " + std::to_string(b));
  int64_t result = 1;
  while (b > 0) {
    bool overflow = false;
    if (b & 1) overflow = __builtin_mul_overflow(result, a, &result);
    b >>= 1;
    if (b > 0) overflow = __builtin_mul_overflow(a, a, &a) || overflow;
    check_overflow(overflow);
  }
  return result;
}

int64_t to_integer(double value) {
  constexpr double kTwoPow63 = 9223372036854775808.0;
  if (value >= -kTwoPow63 && value < kTwoPow63) return static_cast<int64_t>(value);
  throw Error(E_OVERFLOW, "the number " + shortest_text(value) + " is not a 64-bit integer");
}

size_t position(int64_t index, size_t size) {
  const auto n = static_cast<int64_t>(size);
  const int64_t from_front = index < 0 ? index + n : index;
  if (from_front < 0 || from_front >= n) {
    throw Error(E_BAD_PROGRAM, "a list of operands or attributes has " + std::to_string(size) +
                                   (size == 1 ? " item" : " items") + "; index " + std::to_string(index) +
                                   " is out of range");
  }
  return static_cast<size_t>(from_front);
}

void count_steps(size_t items) {
  steps_left -= static_cast<int64_t>(items);
  if (steps_left >= 0) return;
  throw Error(E_TOO_LARGE, "the sizes or lists of this operator and of those before it are too large to convert");
}

void restart_steps(uint64_t weight_bytes) {
  steps_left = limits::kModelSteps + static_cast<int64_t>(std::min(weight_bytes, limits::kPlaceholderBytes));
}

void allow_operator_steps() { steps_left += limits::kOperatorSteps; }

Ints range(int64_t from, int64_t to, int64_t step) {
  if (step == 0) throw Error(E_BAD_PROGRAM, "a range with the step 0");
  const uint64_t count = range_count(from, to, step);
  if (count > limits::kRangeEntries) {
    throw Error(E_TOO_LARGE, "a size or an attribute is too large: " + std::to_string(count) +
                                 " elements to compute while converting");
  }
  Ints list;
  list.reserve(static_cast<size_t>(count));
  for (uint64_t i = 0; i < count; ++i) list.push_back(static_cast<int64_t>(uint64_t(from) + i * uint64_t(step)));
  return list;
}

// -- lists -----------------------------------------------------------------------------------------------------

Dims slice(OpContext& op, const Dims& list, int64_t from, int64_t to) {
  if (list.sized()) return slice(list.items, from, to);
  Dims result;
  if (op.opset() < 10) {
    result.unsized =
        op.node("Slice", {list.unsized}, {Attr("axes", Ints{0}), Attr("starts", Ints{from}), Attr("ends", Ints{to})});
  } else {
    result.unsized = op.node("Slice", {list.unsized, Ints{from}, Ints{to}, Ints{0}});
  }
  if (op.rank_known(result.unsized) && op.rank(result.unsized) == 1) return dims_of(op, result.unsized);
  return result;
}

Dims concat(OpContext& op, const Dims& a, const Dims& b) {
  if (a.sized() && b.sized()) return concat(a.items, b.items);
  if (a.sized() && a.items.empty()) return b;
  if (b.sized() && b.items.empty()) return a;
  Dims result;
  result.unsized = op.node("Concat", {op.tensor(a, Dtype::int64), op.tensor(b, Dtype::int64)}, {Attr("axis", 0)});
  return result;
}

}  // namespace fluid2onnx
