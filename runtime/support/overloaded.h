#pragma once

namespace fluid2onnx {

/// Overloads for std::visit.
template <class... F>
struct Overloaded : F... {
  using F::operator()...;
};
template <class... F>
Overloaded(F...) -> Overloaded<F...>;

}  // namespace fluid2onnx
