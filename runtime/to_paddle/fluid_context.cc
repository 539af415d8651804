#include "runtime/to_paddle/fluid_context.h"

namespace fluid2onnx {

const onnx::GraphProto& FluidContext::graph(std::string_view name) {
  const onnx::AttributeProto* attribute = slots_.proto(name);
  if (!attribute || !attribute->has_g())
    refuse(E_BAD_PROGRAM, "graph '" + std::string(name) + "' of the operator is missing");
  return attribute->g();
}

FluidContext& fluid_context(OpContext& op) {
  auto* context = dynamic_cast<FluidContext*>(&op);
  if (!context) op.refuse(E_INTERNAL, "'" + op.op_type() + "' can only be converted to Paddle");
  return *context;
}

}  // namespace fluid2onnx
