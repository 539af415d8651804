// Inputs and outputs of the program, from those of the ONNX graph.
#pragma once

#include <onnx/onnx_pb.h>

#include "runtime/to_paddle/program_builder.h"

namespace fluid2onnx {

/// Declares the program's inputs, and returns their values. Refuses what a program cannot be given.
Values add_inputs(const onnx::GraphProto& graph, ProgramBuilder& builder);

/// Makes the values of the graph's outputs outputs of the program, with their names. Refuses what a program cannot
/// give.
void add_outputs(const onnx::GraphProto& graph, const Values& values, ProgramBuilder& builder);

}  // namespace fluid2onnx
