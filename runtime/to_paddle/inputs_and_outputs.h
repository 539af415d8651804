// Inputs and outputs of the program, from those of the ONNX graph.
#pragma once

#include <onnx/onnx_pb.h>

#include "runtime/to_paddle/program_builder.h"

namespace fluid2onnx {

/// Declares the program's inputs, and returns their values. Refuses inputs that Paddle does not support.
Values add_inputs(const onnx::GraphProto& graph, ProgramBuilder& builder);

/// Adds the graph's outputs to the program, with their names. Refuses outputs that Paddle does not support.
void add_outputs(const onnx::GraphProto& graph, const Values& values, ProgramBuilder& builder);

}  // namespace fluid2onnx
