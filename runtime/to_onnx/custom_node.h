// Operators as nodes of another domain than ONNX's, which the runtime must provide.
#pragma once

#include "runtime/convert/op_context.h"
#include "runtime/onnx/graph/graph.h"
#include "runtime/paddle/program/program.h"
#include "runtime/report/convert_options.h"

namespace fluid2onnx {

/// The domain of operators that --continue-on-error writes as custom nodes.
constexpr char kFallbackDomain[] = "paddle";

/// False for operators that run blocks: they have no meaning outside their program.
bool can_be_custom(const Op& op);

/// One node with the operator's tensors in the order of its slots, and its attributes. The strings `input_slots` and
/// `output_slots` have the slot of each tensor. Results have the types that the program declares.
void emit_custom_node(OpContext& context, Model& model, const Program& program, const Op& op, const CustomOp& custom);

}  // namespace fluid2onnx
