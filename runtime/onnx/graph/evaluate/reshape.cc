// Evaluators that only change dims: Reshape, Squeeze, Unsqueeze, Flatten, Shape, Size. Their results share the bytes.
#include <algorithm>

#include "runtime/onnx/graph/evaluate/evaluators.h"

namespace fluid2onnx::evaluation {
namespace {

Results reshape(const Call& call) {
  const Tensor* x = call.input(0);
  const auto wanted = call.ints(1, "shape");
  if (!x || !wanted) return std::nullopt;
  Ints dims = *wanted;
  const bool allow_zero = call.attr_int("allowzero", 0) != 0;
  int64_t known = 1;
  int64_t open = -1;
  for (size_t i = 0; i < dims.size(); ++i) {
    if (dims[i] == 0 && !allow_zero) {
      if (i >= x->dims().size()) return std::nullopt;
      dims[i] = x->dims()[i];
    }
    if (dims[i] == -1) {
      if (open >= 0) return std::nullopt;
      open = static_cast<int64_t>(i);
    } else if (dims[i] < 0) {
      return std::nullopt;
    } else if (__builtin_mul_overflow(known, dims[i], &known)) {
      return std::nullopt;
    }
  }
  if (open >= 0) {
    if (known == 0 || x->count() % known != 0) return std::nullopt;
    dims[static_cast<size_t>(open)] = x->count() / known;
    known = x->count();
  }
  if (known != x->count()) return std::nullopt;
  return one(x->reshaped(dims));
}

/// Axes made non-negative and sorted; nothing when one is out of range or given twice.
std::optional<Ints> sorted_axes(Ints axes, int64_t rank) {
  for (int64_t& a : axes) {
    a = normal_axis(a, rank);
    if (a < 0) return std::nullopt;
  }
  std::sort(axes.begin(), axes.end());
  if (std::adjacent_find(axes.begin(), axes.end()) != axes.end()) return std::nullopt;
  return axes;
}

Results unsqueeze(const Call& call) {
  const Tensor* x = call.input(0);
  const auto given = call.ints(1, "axes");
  if (!x || !given) return std::nullopt;
  const auto axes = sorted_axes(*given, x->rank() + static_cast<int64_t>(given->size()));
  if (!axes) return std::nullopt;
  Ints dims = x->dims();
  for (const int64_t a : *axes) dims.insert(dims.begin() + a, 1);
  return one(x->reshaped(dims));
}

Results squeeze(const Call& call) {
  const Tensor* x = call.input(0);
  if (!x) return std::nullopt;
  Ints dims;
  if (!call.input(1) && !call.attr("axes")) {
    for (const int64_t d : x->dims()) {
      if (d != 1) dims.push_back(d);
    }
    return one(x->reshaped(dims));
  }
  const auto given = call.ints(1, "axes");
  const auto axes = given ? sorted_axes(*given, x->rank()) : std::nullopt;
  if (!axes) return std::nullopt;
  for (int64_t i = 0; i < x->rank(); ++i) {
    if (!std::binary_search(axes->begin(), axes->end(), i)) {
      dims.push_back(x->dims()[static_cast<size_t>(i)]);
    } else if (x->dims()[static_cast<size_t>(i)] != 1) {
      return std::nullopt;
    }
  }
  return one(x->reshaped(dims));
}

Results flatten(const Call& call) {
  const Tensor* x = call.input(0);
  if (!x) return std::nullopt;
  int64_t axis = call.attr_int("axis", 1);
  if (axis < 0) axis += x->rank();
  if (axis < 0 || axis > x->rank()) return std::nullopt;
  int64_t rows = 1;
  int64_t columns = 1;
  for (int64_t i = 0; i < x->rank(); ++i) (i < axis ? rows : columns) *= x->dims()[static_cast<size_t>(i)];
  return one(x->reshaped({rows, columns}));
}

Results shape(const Call& call) {
  const Tensor* x = call.input(0);
  if (!x) return std::nullopt;
  const int64_t rank = x->rank();
  const auto bound = [rank](int64_t at) { return std::clamp<int64_t>(at < 0 ? at + rank : at, 0, rank); };
  const int64_t from = bound(call.attr_int("start", 0));
  const int64_t to = bound(call.attr_int("end", rank));
  Ints dims;
  for (int64_t i = from; i < to; ++i) dims.push_back(x->dims()[static_cast<size_t>(i)]);
  return one(Tensor::int64s(dims));
}

Results size(const Call& call) {
  const Tensor* x = call.input(0);
  if (!x) return std::nullopt;
  return one(Tensor::int64_scalar(x->count()));
}

}  // namespace

std::vector<Evaluator> reshape_evaluators() {
  return {{"Reshape", reshape, true, true}, {"Unsqueeze", unsqueeze, true, true}, {"Squeeze", squeeze, true, true},
          {"Flatten", flatten, true, true}, {"Shape", shape, false, true},        {"Size", size, false, true}};
}

}  // namespace fluid2onnx::evaluation
