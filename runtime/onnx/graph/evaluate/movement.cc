// Evaluators that move elements of any dtype: Transpose, Expand, Tile, Slice, Pad, Concat, Split.
#include <algorithm>
#include <cstring>
#include <type_traits>

#include "runtime/onnx/graph/attributes.h"
#include "runtime/onnx/graph/evaluate/evaluators.h"

namespace fluid2onnx::evaluation {
namespace {

/// Copies single elements of `size` bytes: element n of the result from offset `at` of x.
template <size_t Size>
void copy_elements(const uint8_t* from, uint8_t* to, const Ints& dims, const Ints& strides, int64_t base) {
  walk<1>(dims, {strides}, [&](int64_t n, const std::array<int64_t, 1>& at) {
    std::memcpy(to + n * static_cast<int64_t>(Size), from + (base + at[0]) * static_cast<int64_t>(Size), Size);
  });
}

/// Copies all elements of `size` bytes: element n of x to offset `at` of the result.
template <size_t Size>
void scatter_elements(const uint8_t* from, uint8_t* to, const Ints& dims, const Ints& strides, int64_t base) {
  walk<1>(dims, {strides}, [&](int64_t n, const std::array<int64_t, 1>& at) {
    std::memcpy(to + (base + at[0]) * static_cast<int64_t>(Size), from + n * static_cast<int64_t>(Size), Size);
  });
}

/// Calls f with the size of an element as a constant. False if no dtype has this size.
template <class F>
bool for_element_size(size_t size, F f) {
  switch (size) {
    case 1: f(std::integral_constant<size_t, 1>()); return true;
    case 2: f(std::integral_constant<size_t, 2>()); return true;
    case 4: f(std::integral_constant<size_t, 4>()); return true;
    case 8: f(std::integral_constant<size_t, 8>()); return true;
    case 16: f(std::integral_constant<size_t, 16>()); return true;
    default: return false;
  }
}

/// The tensor of `dims` whose element at an index is the one of x at base + index . strides.
Results strided(const Call& call, const Tensor& x, const Ints& dims, const Ints& strides, int64_t base = 0) {
  if (too_large(call, dims, x.dtype())) return std::nullopt;
  std::vector<uint8_t> bytes(static_cast<size_t>(element_count(dims)) * dtype_size(x.dtype()));
  const Tensor ready = x.evaluated();
  if (!bytes.empty()) {
    const uint8_t* from = ready.bytes().data();
    const bool copied = for_element_size(
        dtype_size(x.dtype()), [&](auto size) { copy_elements<size()>(from, bytes.data(), dims, strides, base); });
    if (!copied) return std::nullopt;
  }
  return one(Tensor(x.dtype(), dims, std::move(bytes)));
}

Results transpose(const Call& call) {
  const Tensor* x = call.input(0);
  if (!x) return std::nullopt;
  const auto rank = static_cast<size_t>(x->rank());
  Ints perm;
  for (size_t i = rank; i-- > 0;) perm.push_back(static_cast<int64_t>(i));
  if (const auto given = call.ints(SIZE_MAX, "perm")) perm = *given;
  if (perm.size() != rank) return std::nullopt;
  const Ints own = strides_of(x->dims());
  Ints dims, strides;
  std::vector<bool> seen(rank);
  for (const int64_t p : perm) {
    if (p < 0 || p >= x->rank() || seen[static_cast<size_t>(p)]) return std::nullopt;
    seen[static_cast<size_t>(p)] = true;
    dims.push_back(x->dims()[static_cast<size_t>(p)]);
    strides.push_back(own[static_cast<size_t>(p)]);
  }
  return strided(call, *x, dims, strides);
}

Results expand(const Call& call) {
  const Tensor* x = call.input(0);
  const auto shape = call.ints(1, "");
  if (!x || !shape) return std::nullopt;
  const auto dims = broadcast(x->dims(), *shape);
  if (!dims) return std::nullopt;
  return strided(call, *x, *dims, broadcast_strides(x->dims(), *dims));
}

Results tile(const Call& call) {
  const Tensor* x = call.input(0);
  const auto repeats = call.ints(1, "");
  if (!x || !repeats || static_cast<int64_t>(repeats->size()) != x->rank()) return std::nullopt;
  // Seen as [repeat, dim] pairs, each repeat is an axis of stride 0.
  const Ints own = strides_of(x->dims());
  Ints dims, pairs, strides;
  for (size_t i = 0; i < repeats->size(); ++i) {
    const int64_t r = (*repeats)[i];
    if (r < 0) return std::nullopt;
    pairs.insert(pairs.end(), {r, x->dims()[i]});
    strides.insert(strides.end(), {0, own[i]});
    int64_t d;
    if (__builtin_mul_overflow(r, x->dims()[i], &d)) return std::nullopt;
    dims.push_back(d);
  }
  auto result = strided(call, *x, pairs, strides);
  if (!result) return result;
  return one(result->front().reshaped(dims));
}

Results slice(const Call& call) {
  const Tensor* x = call.input(0);
  const auto starts = call.ints(1, "starts");
  const auto ends = call.ints(2, "ends");
  if (!x || !starts || !ends || starts->size() != ends->size()) return std::nullopt;
  Ints axes, steps(starts->size(), 1);
  for (size_t i = 0; i < starts->size(); ++i) axes.push_back(static_cast<int64_t>(i));
  if (const auto given = call.ints(3, "axes")) axes = *given;
  if (const auto given = call.ints(4, "")) steps = *given;
  if (axes.size() != starts->size() || steps.size() != starts->size()) return std::nullopt;

  Ints dims = x->dims();
  Ints strides = strides_of(dims);
  int64_t base = 0;
  std::vector<bool> seen(dims.size());
  for (size_t i = 0; i < axes.size(); ++i) {
    const int64_t axis = normal_axis(axes[i], x->rank());
    const int64_t step = steps[i];
    if (axis < 0 || step == 0 || step == INT64_MIN || seen[static_cast<size_t>(axis)]) return std::nullopt;
    const auto a = static_cast<size_t>(axis);
    seen[a] = true;
    const int64_t n = dims[a];
    if (n == 0) continue;
    const auto bound = [n](int64_t at, int64_t low, int64_t high) {
      return std::clamp(at < 0 ? at + n : at, low, high);
    };
    const int64_t from = step > 0 ? bound((*starts)[i], 0, n) : bound((*starts)[i], 0, n - 1);
    const int64_t to = step > 0 ? bound((*ends)[i], 0, n) : bound((*ends)[i], -1, n - 1);
    const int64_t span = step > 0 ? to - from : from - to;
    const int64_t stride = step > 0 ? step : -step;
    dims[a] = span <= 0 ? 0 : (span - 1) / stride + 1;
    if (dims[a] > 0) base += from * strides[a];
    strides[a] *= dims[a] > 1 ? step : 1;
  }
  return strided(call, *x, dims, strides, base);
}

/// Nothing if a pad is negative, or the padding is not zero.
std::optional<Ints> zeros_around(int64_t rank, std::optional<Ints> pads, const Attrs& attrs) {
  const AttrValue* mode = find_attr(attrs, "mode");
  if (find_attr(attrs, "value") || (mode && *mode != AttrValue(std::string("constant")))) return std::nullopt;
  if (!pads || static_cast<int64_t>(pads->size()) != 2 * rank) return std::nullopt;
  return std::any_of(pads->begin(), pads->end(), [](int64_t n) { return n < 0; }) ? std::nullopt : pads;
}

/// Only with zeros around all axes.
Results pad(const Call& call) {
  const Tensor* x = call.input(0);
  if (!x || call.input(2) || call.input(3)) return std::nullopt;
  const auto pads = zeros_around(x->rank(), call.ints(1, "pads"), *call.attrs);
  if (!pads) return std::nullopt;
  const size_t rank = x->dims().size();
  Ints dims = x->dims();
  for (size_t i = 0; i < rank; ++i) {
    if (__builtin_add_overflow(dims[i], (*pads)[i], &dims[i])) return std::nullopt;
    if (__builtin_add_overflow(dims[i], (*pads)[i + rank], &dims[i])) return std::nullopt;
  }
  if (too_large(call, dims, x->dtype())) return std::nullopt;
  const Ints strides = strides_of(dims);
  int64_t base = 0;
  for (size_t i = 0; i < rank; ++i) base += (*pads)[i] * strides[i];
  std::vector<uint8_t> bytes(static_cast<size_t>(element_count(dims)) * dtype_size(x->dtype()));
  const Tensor ready = x->evaluated();
  if (x->count() > 0) {
    const uint8_t* from = ready.bytes().data();
    const bool copied = for_element_size(dtype_size(x->dtype()), [&](auto size) {
      scatter_elements<size()>(from, bytes.data(), x->dims(), strides, base);
    });
    if (!copied) return std::nullopt;
  }
  return one(Tensor(x->dtype(), dims, std::move(bytes)));
}

Results concat(const Call& call) {
  const Tensor* first = call.input(0);
  if (!first) return std::nullopt;
  const int64_t axis = normal_axis(call.attr_int("axis", INT64_MIN / 2), first->rank());
  if (axis < 0) return std::nullopt;
  const auto a = static_cast<size_t>(axis);
  Ints dims = first->dims();
  dims[a] = 0;
  std::vector<Tensor> parts;
  for (const Tensor* t : call.inputs) {
    if (!t || t->dtype() != first->dtype() || t->rank() != first->rank()) return std::nullopt;
    for (size_t i = 0; i < dims.size(); ++i) {
      if (i != a && t->dims()[i] != dims[i]) return std::nullopt;
    }
    dims[a] += t->dims()[a];
    parts.push_back(*t);
  }
  if (too_large(call, dims, first->dtype())) return std::nullopt;
  for (Tensor& t : parts) t = t.evaluated();
  int64_t rows = 1;
  for (size_t i = 0; i < a; ++i) rows *= dims[i];
  std::vector<uint8_t> bytes;
  bytes.reserve(static_cast<size_t>(element_count(dims)) * dtype_size(first->dtype()));
  for (int64_t row = 0; row < rows; ++row) {
    for (const Tensor& t : parts) {
      const size_t width = t.bytes().size() / static_cast<size_t>(rows);
      const auto piece = t.bytes().subspan(static_cast<size_t>(row) * width, width);
      bytes.insert(bytes.end(), piece.begin(), piece.end());
    }
  }
  if (element_count(dims) == 0) bytes.clear();
  return one(Tensor(first->dtype(), dims, std::move(bytes)));
}

Results split(const Call& call) {
  const Tensor* x = call.input(0);
  if (!x) return std::nullopt;
  const int64_t axis = normal_axis(call.attr_int("axis", 0), x->rank());
  if (axis < 0) return std::nullopt;
  const auto a = static_cast<size_t>(axis);
  Ints sizes;
  if (const auto given = call.ints(1, "split")) {
    sizes = *given;
  } else {
    const int64_t parts = call.attr_int("num_outputs", call.outputs);
    const int64_t each = parts > 0 ? (x->dims()[a] + parts - 1) / parts : 0;
    for (int64_t i = 0; i < parts; ++i) sizes.push_back(std::min(each, x->dims()[a] - i * each));
  }
  int64_t total = 0;
  for (const int64_t s : sizes) {
    if (s < 0) return std::nullopt;
    total += s;
  }
  if (total != x->dims()[a]) return std::nullopt;
  std::vector<Tensor> results;
  const Ints strides = strides_of(x->dims());
  Ints dims = x->dims();
  int64_t at = 0;
  for (const int64_t s : sizes) {
    dims[a] = s;
    auto part = strided(call, *x, dims, strides, at * strides[a]);
    if (!part) return std::nullopt;
    results.push_back(part->front());
    at += s;
  }
  return results;
}

}  // namespace

bool pad_fits(const Tensor& x, const Attrs& attrs) {
  const AttrValue* pads = find_attr(attrs, "pads");
  const auto* sizes = pads ? std::get_if<Ints>(pads) : nullptr;
  return sizes && zeros_around(x.rank(), *sizes, attrs);
}

std::vector<Evaluator> movement_evaluators() {
  return {{"Transpose", transpose, true}, {"Expand", expand}, {"Tile", tile},
          {"Slice", slice, true},         {"Pad", pad, true}, {"Concat", concat, true},
          {"Split", split, true}};
}

}  // namespace fluid2onnx::evaluation
