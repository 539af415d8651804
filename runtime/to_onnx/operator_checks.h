// What an operator must have before its converter runs, whatever the recipe reads.
#pragma once

#include "runtime/paddle/program/program.h"
#include "runtime/to_onnx/converter_lookup.h"

namespace fluid2onnx {

/// Refuses complex operands that the converter does not handle.
void check_complex(const Program& program, const Op& op, const FoundConverter& found);

/// Refuses an operator that lacks an operand.
void check_operands(const Op& op, const FoundConverter& found);

}  // namespace fluid2onnx
