// Add, Sub, Mul, Div, Mod, Pow, Min, Max, Sum: element by element with broadcasting. MatMul of float64 matrices.
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>

#include "runtime/onnx/graph/evaluate/evaluators.h"

namespace fluid2onnx::evaluation {
namespace {

/// The unsigned type in which the arithmetic of T wraps without undefined behaviour (at least as wide as int).
template <class T>
using Wide = std::conditional_t<sizeof(T) == 8, uint64_t, uint32_t>;

/// How many elements of `a` in a row meet the same one of `b`, when `b` has the first dims of `a` and 1 for the others:
/// factors of a convolution's filters. 0: it is otherwise.
int64_t row_of_one(const Ints& a, const Ints& b) {
  if (a.size() != b.size()) return 0;
  size_t i = 0;
  while (i < a.size() && a[i] == b[i]) ++i;
  int64_t row = 1;
  for (; i < a.size(); ++i) {
    if (b[i] != 1) return 0;
    row *= a[i];
  }
  return row;
}

/// The elements of a tensor where they are: not aligned, and not copied.
template <class T>
class Elements {
 public:
  explicit Elements(const Tensor& t) : ready_(t.evaluated()), at_(ready_.bytes().data()) {}
  T operator[](int64_t i) const {
    T element;
    std::memcpy(&element, at_ + i * static_cast<int64_t>(sizeof(T)), sizeof(T));
    return element;
  }

 private:
  const Tensor ready_;
  const uint8_t* at_;
};

/// f(a, b, &ok) element by element; clears ok when there is no result.
template <class T, class F>
Results elementwise(const Call& call, const Tensor& a, const Tensor& b, F f) {
  const auto dims = broadcast(a.dims(), b.dims());
  if (!dims || too_large(call, *dims, a.dtype())) return std::nullopt;
  const Elements<T> x(a), y(b);
  const int64_t count = element_count(*dims);
  std::vector<uint8_t> bytes(static_cast<size_t>(count) * sizeof(T));
  bool ok = true;
  const auto put = [&](int64_t n, T element) {
    std::memcpy(bytes.data() + n * static_cast<int64_t>(sizeof(T)), &element, sizeof(T));
  };
  const int64_t row = row_of_one(a.dims(), b.dims());
  if (a.dims() == *dims && row > 0) {
    for (int64_t i = 0; i < count; i += row) {
      const T other = y[i / row];
      for (int64_t j = i; j < i + row; ++j) put(j, f(x[j], other, &ok));
    }
  } else {
    walk<2>(*dims, {broadcast_strides(a.dims(), *dims), broadcast_strides(b.dims(), *dims)},
            [&](int64_t n, const std::array<int64_t, 2>& at) { put(n, f(x[at[0]], y[at[1]], &ok)); });
  }
  if (!ok) return std::nullopt;
  return one(Tensor(a.dtype(), *dims, std::move(bytes)));
}

/// Applies F to floats, or to integers that wrap.
template <class F>
struct Wrapping {
  template <class T>
  T operator()(T a, T b, bool*) const {
    if constexpr (std::is_floating_point_v<T>) return F{}(a, b);
    else return static_cast<T>(F{}(static_cast<Wide<T>>(a), static_cast<Wide<T>>(b)));
  }
};
using AddOp = Wrapping<std::plus<>>;

template <class T>
bool divisible(T a, T b) {
  if (b == 0) return false;
  if constexpr (std::is_signed_v<T>) return !(a == std::numeric_limits<T>::min() && b == -1);
  return true;
}
constexpr auto quotient = []<class T>(T a, T b, bool* ok) -> T {
  if constexpr (std::is_floating_point_v<T>) return a / b;
  else if (divisible(a, b)) return static_cast<T>(a / b);
  return *ok = false, T{};
};
/// The remainder with the sign of the dividend.
constexpr auto c_remainder = []<class T>(T a, T b, bool* ok) -> T {
  if constexpr (std::is_floating_point_v<T>) return std::fmod(a, b);
  else if (divisible(a, b)) return static_cast<T>(a % b);
  return *ok = false, T{};
};
/// The remainder with the sign of the divisor, as Python's %.
constexpr auto python_remainder = []<class T>(T a, T b, bool* ok) -> T {
  if constexpr (std::is_floating_point_v<T>) return *ok = false, T{};  // floats need fmod=1
  const T r = c_remainder(a, b, ok);
  return r != 0 && (r < T{0}) != (b < T{0}) ? static_cast<T>(r + b) : r;
};
constexpr auto smaller = [](auto a, auto b, bool* ok) {
  if (a != a || b != b) *ok = false;  // NaN: runtimes disagree
  return b < a ? b : a;
};
constexpr auto larger = [](auto a, auto b, bool* ok) {
  if (a != a || b != b) *ok = false;
  return a < b ? b : a;
};
/// Exact for integers, or no result; for floats as in the C library.
constexpr auto power = []<class T>(T a, T b, bool* ok) -> T {
  if constexpr (std::is_floating_point_v<T>) {
    return std::pow(a, b);
  } else {
    const double p = std::pow(static_cast<double>(a), static_cast<double>(b));
    const bool exact = std::fabs(p) <= 0x1p53 && p == std::trunc(p) &&
                       p <= static_cast<double>(std::numeric_limits<T>::max()) &&
                       p >= static_cast<double>(std::numeric_limits<T>::lowest());
    if (!exact) return *ok = false, T{};
    return static_cast<T>(p);
  }
};

template <class F>
Results binary(const Call& call) {
  const Tensor* a = call.input(0);
  const Tensor* b = call.input(1);
  if (!a || !b || a->dtype() != b->dtype()) return std::nullopt;
  Results results;
  for_numbers(a->dtype(), [&](auto t) { results = elementwise<decltype(t)>(call, *a, *b, F{}); });
  return results;
}

/// One or more operands.
template <class F>
Results variadic(const Call& call) {
  if (!call.input(0)) return std::nullopt;
  Tensor sofar = *call.input(0);
  for (size_t i = 1; i < call.inputs.size(); ++i) {
    Call step = call;
    step.inputs = {&sofar, call.input(i)};
    auto next = binary<F>(step);
    if (!next) return std::nullopt;
    sofar = next->front();
  }
  return one(sofar);
}

Results mod(const Call& call) {
  return call.attr_int("fmod", 0) ? binary<decltype(c_remainder)>(call) : binary<decltype(python_remainder)>(call);
}

/// Of float64 matrices: the order of additions changes last bits, which no tolerance sees.
Results matrix_product(const Call& call) {
  const Tensor *a = call.input(0), *b = call.input(1);
  if (!a || !b || a->dtype() != Dtype::float64 || b->dtype() != Dtype::float64) return std::nullopt;
  if (a->rank() != 2 || b->rank() != 2 || a->dims()[1] != b->dims()[0]) return std::nullopt;
  const Ints dims{a->dims()[0], b->dims()[1]};
  if (too_large(call, dims, Dtype::float64)) return std::nullopt;
  const auto rows = static_cast<size_t>(dims[0]), columns = static_cast<size_t>(dims[1]);
  const auto inner = static_cast<size_t>(a->dims()[1]);
  const auto x = a->elements<double>(), y = b->elements<double>();
  std::vector<double> result(rows * columns);
  for (size_t i = 0; i < rows; ++i) {
    for (size_t k = 0; k < inner; ++k) {
      for (size_t j = 0; j < columns; ++j) result[i * columns + j] += x[i * inner + k] * y[k * columns + j];
    }
  }
  return one(Tensor::of(Dtype::float64, dims, result));
}

}  // namespace

std::vector<Evaluator> arithmetic_evaluators() {
  return {{"Add", binary<AddOp>, true},
          {"Sub", binary<Wrapping<std::minus<>>>, true},
          {"Mul", binary<Wrapping<std::multiplies<>>>, true},
          {"Div", binary<decltype(quotient)>, true},
          {"Mod", mod},
          {"Pow", binary<decltype(power)>},
          {"MatMul", matrix_product},
          {"Min", variadic<decltype(smaller)>},
          {"Max", variadic<decltype(larger)>},
          {"Sum", variadic<AddOp>}};
}

}  // namespace fluid2onnx::evaluation
