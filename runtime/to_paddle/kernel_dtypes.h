// In which dtype a kernel of Paddle computes.
#pragma once

#include "runtime/convert/op_context.h"
#include "runtime/onnx/graph/graph.h"
#include "runtime/paddle/program/operators.h"

namespace fluid2onnx {

struct KernelDtypes {
  Dtype usual = Dtype::undefined;     ///< of the operands that decide, which numbers beside them take
  Dtype computed = Dtype::undefined;  ///< the same, or that of a kernel whose numbers hold those of `usual`
};

/// `computed` stays undefined if no kernel fits.
KernelDtypes kernel_dtypes(const Model& model, const FluidOperator& known, const FluidOperands& operands);

}  // namespace fluid2onnx
