// `opgen explain`: how an operator is converted at an opset.
#pragma once

#include <string>

#include "generator/check/program.h"
#include "generator/explain/kernels.h"

namespace opgen {

/// The variants of an operator that hold at `opset`, their statements and the ONNX nodes these emit there, with how
/// each node is emitted at that opset, and which of them ONNX Runtime does not run. Variants that need another opset
/// are named with it.
std::string explain(const CheckedProgram& program, const OnnxModel& onnx, const KernelFacts& kernels,
                    const CheckedOp& op, int opset);

}  // namespace opgen
