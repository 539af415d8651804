#pragma once

#include <stdexcept>

namespace fluid2onnx {

/// Why Paddle 3's operators cannot express one of Fluid's; the catcher adds the operator.
struct Unsaid : std::runtime_error {
  using std::runtime_error::runtime_error;
};

}  // namespace fluid2onnx
