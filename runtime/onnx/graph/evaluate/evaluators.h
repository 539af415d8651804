// What the evaluators share. Not for use outside of this folder.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <type_traits>
#include <vector>

#include "runtime/onnx/graph/evaluate/evaluate.h"

namespace fluid2onnx::evaluation {

std::vector<Evaluator> arithmetic_evaluators();
std::vector<Evaluator> comparison_evaluators();
std::vector<Evaluator> unary_evaluators();
std::vector<Evaluator> cast_evaluators();
std::vector<Evaluator> reshape_evaluators();
std::vector<Evaluator> movement_evaluators();
std::vector<Evaluator> selection_evaluators();
std::vector<Evaluator> reduction_evaluators();
std::vector<Evaluator> generation_evaluators();
std::vector<Evaluator> quantisation_evaluators();

inline Results one(Tensor t) {
  std::vector<Tensor> results;
  results.push_back(std::move(t));
  return results;
}

/// axis + rank if negative; -1 when out of range.
inline int64_t normal_axis(int64_t axis, int64_t rank) {
  if (axis < 0) axis += rank;
  return axis >= 0 && axis < rank ? axis : -1;
}

/// Row-major strides, counted in elements.
Ints strides_of(const Ints& dims);
/// The dims that two tensors broadcast to; nothing when they do not.
std::optional<Ints> broadcast(const Ints& a, const Ints& b);
/// Strides that walk a tensor of `dims` while counting through `out`: 0 along broadcast axes.
Ints broadcast_strides(const Ints& dims, const Ints& out);
/// True if a Cast of these float32 numbers to an integer dtype is defined for each of them.
bool in_range(const Tensor& x, Dtype to);
/// True if a tensor of that size exceeds the call's limit (or all bounds).
bool too_large(const Call& call, const Ints& dims, Dtype dtype);

/// Calls f(offset) for every index of `dims` in row-major order, where offset is the dot product with `strides`.
template <size_t N, class F>
void walk(const Ints& dims, const std::array<Ints, N>& strides, F f) {
  const int64_t count = element_count(dims);
  if (count == 0) return;
  const size_t rank = dims.size();
  Ints index(rank, 0);
  std::array<int64_t, N> offset{};
  for (int64_t n = 0; n < count; ++n) {
    f(n, offset);
    for (size_t axis = rank; axis-- > 0;) {
      for (size_t k = 0; k < N; ++k) offset[k] += strides[k][axis];
      if (++index[axis] < dims[axis]) break;
      for (size_t k = 0; k < N; ++k) offset[k] -= strides[k][axis] * dims[axis];
      index[axis] = 0;
    }
  }
}

/// Calls f(T{}) with the C++ type of the dtype's elements; false for other dtypes than these numbers.
template <class F>
bool for_integers(Dtype dtype, F f) {
  switch (dtype) {
    case Dtype::uint8: f(uint8_t{}); return true;
    case Dtype::int8: f(int8_t{}); return true;
    case Dtype::uint16: f(uint16_t{}); return true;
    case Dtype::int16: f(int16_t{}); return true;
    case Dtype::uint32: f(uint32_t{}); return true;
    case Dtype::int32: f(int32_t{}); return true;
    case Dtype::uint64: f(uint64_t{}); return true;
    case Dtype::int64: f(int64_t{}); return true;
    default: return false;
  }
}
template <class F>
bool for_numbers(Dtype dtype, F f) {
  if (dtype == Dtype::float32) return f(float{}), true;
  if (dtype == Dtype::float64) return f(double{}), true;
  return for_integers(dtype, f);
}

}  // namespace fluid2onnx::evaluation
