// Reduce* and CumSum.
#include <algorithm>
#include <cmath>
#include <functional>

#include "runtime/onnx/graph/evaluate/evaluators.h"

namespace fluid2onnx::evaluation {
namespace {

/// Which axes a Reduce* node reduces; nothing when they are not valid.
std::optional<std::vector<bool>> reduced_axes(const Call& call, const Tensor& x) {
  std::vector<bool> reduced(static_cast<size_t>(x.rank()), false);
  const bool given = call.input(1) || call.attr("axes");
  const auto axes = call.ints(1, "axes");
  if (given && !axes) return std::nullopt;
  if (!given || axes->empty()) {
    if (call.attr_int("noop_with_empty_axes", 0) == 0) reduced.assign(reduced.size(), true);
    return reduced;
  }
  for (const int64_t axis : *axes) {
    const int64_t a = normal_axis(axis, x.rank());
    if (a < 0) return std::nullopt;
    reduced[static_cast<size_t>(a)] = true;
  }
  return reduced;
}

/// Integer sums and products wrap; sums of floats are kept in double.
template <class T>
using Accumulator = std::conditional_t<std::is_floating_point_v<T>, double, uint64_t>;

struct SumOp {
  static constexpr bool kIntegers = true;
  static constexpr uint8_t kFirst = 0;
  auto operator()(auto a, auto b) const { return a + b; }
  /// The result, with this number of elements.
  auto last(auto a, int64_t) const { return a; }
};
struct ProdOp : SumOp {
  static constexpr uint8_t kFirst = 1;
  auto operator()(auto a, auto b) const { return a * b; }
};
struct MeanOp : SumOp {
  static constexpr bool kIntegers = false;
  auto last(auto a, int64_t count) const { return static_cast<double>(a) / static_cast<double>(count); }
};
struct SquaresOp : SumOp {
  auto operator()(auto a, auto b) const { return a + b * b; }
};
struct LengthOp : SquaresOp {
  static constexpr bool kIntegers = false;
  auto last(auto a, int64_t) const { return std::sqrt(static_cast<double>(a)); }
};

template <class T, class F>
Results reduce_as(const Tensor& x, const std::vector<bool>& reduced, bool keepdims, F f) {
  Ints dims, strides(reduced.size(), 0), full;
  for (size_t i = 0; i < reduced.size(); ++i) full.push_back(reduced[i] ? 1 : x.dims()[i]);
  const Ints own = strides_of(full);
  for (size_t i = 0; i < reduced.size(); ++i) {
    if (!reduced[i]) strides[i] = own[i];
    if (!reduced[i] || keepdims) dims.push_back(full[i]);
  }
  std::vector<T> result;
  if (!f(x.elements<T>(), strides, static_cast<size_t>(element_count(full)), &result)) return std::nullopt;
  return one(Tensor::of(x.dtype(), dims, result));
}

template <class Op>
Results fold_sum(const Call& call) {
  const Tensor* x = call.input(0);
  const auto reduced = x ? reduced_axes(call, *x) : std::nullopt;
  if (!reduced || (is_integer(x->dtype()) && !Op::kIntegers)) return std::nullopt;
  Results results;
  for_numbers(x->dtype(), [&](auto t) {
    using T = decltype(t);
    using A = Accumulator<T>;
    results = reduce_as<T>(*x, *reduced, call.attr_int("keepdims", 1) != 0,
                           [&](const std::vector<T>& in, const Ints& strides, size_t count, std::vector<T>* out) {
                             std::vector<A> sums(count, A{Op::kFirst});
                             walk<1>(x->dims(), {strides}, [&](int64_t n, const std::array<int64_t, 1>& at) {
                               A& sum = sums[static_cast<size_t>(at[0])];
                               sum = Op{}(sum, static_cast<A>(in[static_cast<size_t>(n)]));
                             });
                             const int64_t each = count == 0 ? 0 : x->count() / static_cast<int64_t>(count);
                             for (const A s : sums) out->push_back(static_cast<T>(Op{}.last(s, each)));
                             return true;
                           });
  });
  return results;
}

template <class Better>
Results fold_extreme(const Call& call) {
  const Tensor* x = call.input(0);
  const auto reduced = x && x->count() > 0 ? reduced_axes(call, *x) : std::nullopt;
  if (!reduced) return std::nullopt;
  Results results;
  for_numbers(x->dtype(), [&](auto t) {
    using T = decltype(t);
    results = reduce_as<T>(*x, *reduced, call.attr_int("keepdims", 1) != 0,
                           [&](const std::vector<T>& in, const Ints& strides, size_t count, std::vector<T>* out) {
                             out->resize(count);
                             std::vector<bool> seen(count, false);
                             bool ok = true;
                             walk<1>(x->dims(), {strides}, [&](int64_t n, const std::array<int64_t, 1>& at) {
                               const auto k = static_cast<size_t>(at[0]);
                               const T e = in[static_cast<size_t>(n)];
                               if (e != e) ok = false;  // NaN: runtimes disagree
                               if (!seen[k] || Better{}(e, (*out)[k])) (*out)[k] = e;
                               seen[k] = true;
                             });
                             return ok;
                           });
  });
  return results;
}

Results cumsum(const Call& call) {
  const Tensor* x = call.input(0);
  const auto axes = call.ints(1, "");
  if (!x || !axes || axes->size() != 1) return std::nullopt;
  const int64_t axis = normal_axis(axes->front(), x->rank());
  if (axis < 0) return std::nullopt;
  const bool exclusive = call.attr_int("exclusive", 0) != 0;
  const bool reverse = call.attr_int("reverse", 0) != 0;
  const Ints strides = strides_of(x->dims());
  const int64_t length = x->dims()[static_cast<size_t>(axis)];
  const int64_t step = strides[static_cast<size_t>(axis)];
  Results results;
  for_numbers(x->dtype(), [&](auto t) {
    using T = decltype(t);
    using A = std::conditional_t<std::is_floating_point_v<T>, T, uint64_t>;  // floats add up as a runtime does
    auto elements = x->elements<T>();
    Ints outer = x->dims();
    outer[static_cast<size_t>(axis)] = length > 0 ? 1 : 0;
    walk<1>(outer, {strides}, [&](int64_t, const std::array<int64_t, 1>& at) {
      A sum{0};
      for (int64_t i = 0; i < length; ++i) {
        T& e = elements[static_cast<size_t>(at[0] + (reverse ? length - 1 - i : i) * step)];
        const A own = static_cast<A>(e);
        if (!exclusive) sum = sum + own;
        e = static_cast<T>(sum);
        if (exclusive) sum = sum + own;
      }
    });
    results = one(Tensor::of(x->dtype(), x->dims(), elements));
  });
  return results;
}

}  // namespace

std::vector<Evaluator> reduction_evaluators() {
  return {{"ReduceSum", fold_sum<SumOp>},
          {"ReduceProd", fold_sum<ProdOp>},
          {"ReduceMean", fold_sum<MeanOp>},
          {"ReduceSumSquare", fold_sum<SquaresOp>},
          {"ReduceL2", fold_sum<LengthOp>},
          {"ReduceMax", fold_extreme<std::greater<>>, false, false, true},
          {"ReduceMin", fold_extreme<std::less<>>, false, false, true},
          {"CumSum", cumsum}};
}

}  // namespace fluid2onnx::evaluation
