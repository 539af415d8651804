#pragma once

#include <string>

#include "runtime/support/dtype.h"

namespace fluid2onnx {

/// Nodes of one type that compute in another dtype than the program: their operands are cast, and their results back.
struct CastNote {
  std::string op;
  Dtype from = Dtype::undefined;
  Dtype to = Dtype::undefined;
  bool for_runtime = false;  ///< true: ONNX Runtime has no kernel; false: the opset does not support the dtype

  friend bool operator==(const CastNote&, const CastNote&) = default;
};

}  // namespace fluid2onnx
