// Gather and Where: pick elements of any dtype by the values of another operand.
#include <cstring>

#include "runtime/onnx/graph/evaluate/evaluators.h"

namespace fluid2onnx::evaluation {
namespace {

Results gather(const Call& call) {
  const Tensor* x = call.input(0);
  const Tensor* indices = call.input(1);
  auto picks = indices ? indices->as_ints() : std::nullopt;
  if (!x || !picks) return std::nullopt;
  const int64_t axis = normal_axis(call.attr_int("axis", 0), x->rank());
  if (axis < 0) return std::nullopt;
  const auto a = x->dims().begin() + axis;
  for (int64_t& p : *picks) {
    p = normal_axis(p, *a);
    if (p < 0) return std::nullopt;
  }
  Ints dims(x->dims().begin(), a);
  dims.insert(dims.end(), indices->dims().begin(), indices->dims().end());
  dims.insert(dims.end(), a + 1, x->dims().end());
  if (too_large(call, dims, x->dtype())) return std::nullopt;

  int64_t rows = 1;
  for (auto d = x->dims().begin(); d != a; ++d) rows *= *d;
  size_t width = dtype_size(x->dtype());
  for (auto d = a + 1; d != x->dims().end(); ++d) width *= static_cast<size_t>(*d);
  std::vector<uint8_t> bytes(static_cast<size_t>(element_count(dims)) * dtype_size(x->dtype()));
  if (width > 0 && !bytes.empty()) {
    const Tensor ready = x->evaluated();
    const uint8_t* from = ready.bytes().data();
    uint8_t* to = bytes.data();
    for (int64_t row = 0; row < rows; ++row) {
      for (const int64_t p : *picks) {
        std::memcpy(to, from + static_cast<size_t>(row * *a + p) * width, width);
        to += width;
      }
    }
  }
  return one(Tensor(x->dtype(), dims, std::move(bytes)));
}

Results where(const Call& call) {
  const Tensor* condition = call.input(0);
  const Tensor* a = call.input(1);
  const Tensor* b = call.input(2);
  if (!condition || !a || !b || condition->dtype() != Dtype::bool_ || a->dtype() != b->dtype()) return std::nullopt;
  const auto both = broadcast(a->dims(), b->dims());
  const auto dims = both ? broadcast(*both, condition->dims()) : std::nullopt;
  if (!dims || too_large(call, *dims, a->dtype())) return std::nullopt;
  const size_t size = dtype_size(a->dtype());
  std::vector<uint8_t> bytes(static_cast<size_t>(element_count(*dims)) * size);
  const Tensor ready[3] = {condition->evaluated(), a->evaluated(), b->evaluated()};
  const auto c = ready[0].bytes();
  const auto x = ready[1].bytes();
  const auto y = ready[2].bytes();
  walk<3>(*dims,
          {broadcast_strides(condition->dims(), *dims), broadcast_strides(a->dims(), *dims),
           broadcast_strides(b->dims(), *dims)},
          [&](int64_t n, const std::array<int64_t, 3>& at) {
            const uint8_t* from = c[static_cast<size_t>(at[0])] ? x.data() + static_cast<size_t>(at[1]) * size
                                                                : y.data() + static_cast<size_t>(at[2]) * size;
            std::memcpy(bytes.data() + static_cast<size_t>(n) * size, from, size);
          });
  return one(Tensor(a->dtype(), *dims, std::move(bytes)));
}

}  // namespace

std::vector<Evaluator> selection_evaluators() { return {{"Gather", gather}, {"Where", where}}; }

}  // namespace fluid2onnx::evaluation
