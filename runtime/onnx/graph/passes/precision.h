// Half precision: float32 models that compute and store in 16 bits where they can.
#pragma once

#include <functional>
#include <set>
#include <string>
#include <vector>

#include "runtime/support/dtype.h"

namespace fluid2onnx {

class Model;

struct Precision {
  Dtype to = Dtype::undefined;  ///< float16, bfloat16; undefined: all stays as it is
  bool ports = false;           ///< inputs and outputs too
  /// ONNX operators that stay in float32, beside those that have to.
  std::set<std::string, std::less<>> keep;
  /// ONNX operators lowered although the default list, a missing kernel or the range of their values would keep them in
  /// float32; "all": all operators.
  std::set<std::string, std::less<>> lower;
};

/// Operators that stay in float32 by default: 16 bits are too inexact for them (indices,
/// coordinates, sums over whole axes, scales of quantisation), or ONNX Runtime fails (1.31 crashes when it
/// loads an LSTM in float16).
const std::set<std::string, std::less<>>& operators_kept_in_float32();

/// Rewrites a complete model, with the graphs inside. Float32 stays
///  - in nodes of the list above, of operators whose schema does not admit the dtype at this opset, and of those that
///    ONNX Runtime's CPU provider cannot run in it (opspecs/facts/onnxruntime.json),
///  - in arithmetic on sizes: vectors and scalars from which integers are made,
///  - where numbers are out of range (half_range.h).
/// Casts are put between; weights of such nodes are still stored in 16 bits if in range.
/// Convolutions take in the BatchNormalization behind them, with factors computed in float64. Gives warnings.
std::vector<std::string> lower_precision(Model& model, const Precision& options, bool fuse = true);

}  // namespace fluid2onnx
