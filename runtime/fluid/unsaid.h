#pragma once

#include <stdexcept>

namespace fluid2onnx {

/// Why Paddle 3's operators cannot say one of Fluid's; who knows the operator says which.
struct Unsaid : std::runtime_error {
  using std::runtime_error::runtime_error;
};

}  // namespace fluid2onnx
