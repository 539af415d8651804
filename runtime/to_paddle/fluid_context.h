// The OpContext for converters of ONNX operators: it emits Paddle operators.
#pragma once

#include <functional>

#include "runtime/to_paddle/binder.h"
#include "runtime/to_paddle/node_slots.h"
#include "runtime/to_paddle/program_builder.h"
#include "runtime/to_paddle/sequence_uses.h"

namespace fluid2onnx {

/// Everything that the conversion of nested graphs needs. All members outlive it.
struct OnnxControlFlow {
  OnnxBinder& binder;
  SequenceUses& sequences;
  /// The values of a graph's outputs, given those of its inputs; the current block of the program receives the
  /// operators.
  std::function<Values(const onnx::GraphProto& graph, const Values& inputs)> run;
  /// Forgets values from this one on, which the scratch model has rolled back.
  std::function<void(Value first)> forget_from;
};

class FluidContext : public GraphContext {
 public:
  FluidContext(const OnnxControlFlow& flow, ProgramBuilder& builder, const NodeSlots& slots)
      : GraphContext(builder.emitter(), slots), flow_(flow), builder_(builder), slots_(slots) {}

  using OpContext::fluid;
  Values fluid(std::string_view type, const FluidOperands& operands, const Attrs& attrs, int64_t results) override {
    return builder_.emit(*this, type, operands, attrs, results);
  }

  // In the program, with the counterpart in the scratch model that GraphContext makes.
  Values loop(const Operand& trips, const Operand& condition, const Values& carried, const LoopBody& body) override;
  Values if_else(const Operand& condition, const std::function<Values()>& then_branch,
                 const std::function<Values()>& else_branch) override;

  // For control flow and sequences.
  const OnnxControlFlow& flow() const { return flow_; }
  OnnxBinder& binder() { return flow_.binder; }
  SequenceUses& sequences() { return flow_.sequences; }
  ProgramBuilder& builder() { return builder_; }
  /// An attribute that is a graph. Refuses a missing one.
  const onnx::GraphProto& graph(std::string_view name);

 private:
  const OnnxControlFlow& flow_;
  ProgramBuilder& builder_;
  const NodeSlots& slots_;
};

/// Refuses when `op` does not convert to Paddle.
FluidContext& fluid_context(OpContext& op);

}  // namespace fluid2onnx
