// In which dtype a kernel of Paddle computes.
#pragma once

#include "runtime/convert/op_context.h"
#include "runtime/onnx/graph/graph.h"
#include "runtime/paddle/program/operators.h"

namespace fluid2onnx {

struct KernelDtypes {
  Dtype usual = Dtype::undefined;     ///< of the operands that decide; constants beside them get it
  Dtype computed = Dtype::undefined;  ///< the same, or a dtype of the kernel that holds the values of `usual`
};

/// `computed` stays undefined if no kernel fits.
KernelDtypes kernel_dtypes(const Model& model, const FluidOperator& known, const FluidOperands& operands);

}  // namespace fluid2onnx
