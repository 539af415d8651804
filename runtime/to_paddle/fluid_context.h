// What converters of ONNX's operators work on: an OpContext that emits operators of Paddle.
#pragma once

#include "runtime/to_paddle/node_source.h"
#include "runtime/to_paddle/program_builder.h"

namespace fluid2onnx {

class OnnxWalker;

class FluidContext : public GraphContext {
 public:
  FluidContext(OnnxWalker& walker, ProgramBuilder& builder, const OnnxSource& source)
      : GraphContext(builder.emitter(), source), walker_(walker), builder_(builder), source_(source) {}

  using OpContext::fluid;
  Values fluid(std::string_view type, const FluidOperands& operands, const Attrs& attrs, int64_t results) override {
    return builder_.emit(*this, type, operands, attrs, results);
  }

  // In the program, with the counterpart in the scratch model that GraphContext makes.
  Values loop(const Operand& trips, const Operand& condition, const Values& carried,
              const std::function<LoopIteration(Value iteration, const Values& carried)>& body) override;
  Values if_else(const Operand& condition, const std::function<Values()>& then_branch,
                 const std::function<Values()>& else_branch) override;

  // For control flow.
  OnnxWalker& walker() { return walker_; }
  ProgramBuilder& builder() { return builder_; }
  /// An attribute that is a graph. Refuses when it is not given.
  const onnx::GraphProto& graph(std::string_view name);

 private:
  OnnxWalker& walker_;
  ProgramBuilder& builder_;
  const OnnxSource& source_;
};

/// Refuses when `op` does not convert to Paddle.
FluidContext& fluid_context(OpContext& op);

}  // namespace fluid2onnx
