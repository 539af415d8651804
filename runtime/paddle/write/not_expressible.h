#pragma once

#include <stdexcept>

namespace fluid2onnx {

/// Thrown if no operator of Paddle 3 can express a Fluid operator. what() has the reason, without the Fluid operator's
/// name.
struct NotExpressible : std::runtime_error {
  using std::runtime_error::runtime_error;
};

}  // namespace fluid2onnx
