// Control flow: an OpContext for converters of loops and branches.
//
// They convert blocks of the program into the bodies that they emit, and defer operators until their results are
// read.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "runtime/convert/graph_context.h"
#include "runtime/paddle/program/uses.h"
#include "runtime/to_onnx/binder.h"
#include "runtime/to_onnx/deferred.h"
#include "runtime/to_onnx/operator_counts.h"
#include "runtime/to_onnx/output_names.h"
#include "runtime/to_onnx/target_choice.h"

namespace fluid2onnx {

/// Everything that the conversion of blocks needs. All members outlive it.
struct ControlFlow {
  const Program& program;
  Emitter& emitter;
  Binder& binder;
  const OutputNames& outputs;
  OperatorCounts& counts;
  TargetChoice& target;
  /// Converts what `wanted` needs of a block.
  std::function<void(int32_t block, Scope& scope, const NameSet& wanted)> run;
  /// Converts a deferred operator.
  std::function<void(Deferred&)> convert;
};

class BlockContext : public GraphContext {
 public:
  /// The operator's location in the program.
  struct Position {
    const NeededOp& live;
    const std::vector<NeededOp>& ops;  ///< of its block
    size_t index;                      ///< in ops
    Scope& scope;
    Deferred* deferred;  ///< set: this is the second run, see defer()
    bool tainted;
  };
  BlockContext(const ControlFlow& flow, const Position& position, const OperatorSlots& slots)
      : GraphContext(flow.emitter, slots), flow_(flow), at_(position) {}

  bool target_has(std::string_view op, Dtype dtype) const override { return flow_.target.has(op, opset(), dtype); }

  using GraphContext::model;
  const Program& program() const { return flow_.program; }
  const OutputNames& outputs() const { return flow_.outputs; }
  /// The operator as the program has it, with names of variables.
  const Op& op() const { return *at_.live.op; }
  /// The operators after this one in its block.
  std::vector<const Op*> later_ops() const;
  /// True if the variable, which this operator may write, is read after it.
  bool read_later(const std::string& name) const { return at_.live.read_later.contains(name); }
  /// The operand of a slot; E_BAD_PROGRAM if the program leaves it out.
  Value required_input(std::string_view slot);
  /// The value that a variable has before the operator; absent if it has none, or an undefined one.
  Value value_of(const std::string& name) { return held(name).value; }
  /// Of a tensor array that is rows of steps (Binder::sequence_of), an ONNX sequence.
  ValueWithLod held(const std::string& name);
  /// True if the variable has a value, or will have when it is read.
  bool has_variable(const std::string& name) const { return at_.scope.find(name) != nullptr; }
  /// True if the variable has a value that denotes an absent one.
  bool undefined(const std::string& name) const;
  /// A tensor of zeros as the program declares the variable (unknown dims: 1): for values that are never read. For
  /// a tensor array, an empty one.
  Value zeros_like(const std::string& name);

  /// Removes the inferred shape of a sequence's elements.
  Value as_sequence(Value v);
  /// Declares the type of lengths if inference does not know it: int64, 1-D.
  Value as_lengths(Value v);
  /// Gives a tensor of unknown rank the rank that the program declares for a variable, which cannot be 0.
  Value with_declared_rank(Value v, const std::string& name);

  /// The only sub-block of the operator.
  int32_t sub_block();
  /// Adds all values that the block reads to the current graph. Call it before loop() and if_else(), whose bodies are
  /// separate graphs: values entering there are invisible elsewhere.
  void bring_in_reads(int32_t block) {
    bring_in_reads(block, [](const std::string&) { return true; });
  }
  /// The same for the variables for which `wanted` is true.
  void bring_in_reads(int32_t block, const std::function<bool(const std::string&)>& wanted);
  /// Counts an operator as converted that another operator's converter replaces.
  void count(const Op& op) { flow_.counts.count(op); }
  /// Converts the operators of a block that `wanted` needs into the current graph, and returns the values at its end.
  /// `given` replace outer variables. Operators that write variables in `kept` are skipped. Refuses a wanted variable
  /// without a value.
  std::vector<ValueWithLod> run_block(int32_t block, const std::vector<std::pair<std::string, ValueWithLod>>& given,
                                      const Strings& wanted, const Strings& kept = {});
  /// As OpContext::set_outputs for any variable, by name.
  void set_variable(const std::string& name, ValueWithLod held) { variables_.emplace_back(name, std::move(held)); }
  const std::vector<std::pair<std::string, ValueWithLod>>& variables() const { return variables_; }
  /// Emits until accepted; undoes rejected attempts.
  void emit_until(const std::function<bool()>& emit);

  /// True: the converter returns at once, and runs again when an output of the operator is read, with operands
  /// as they are now. False: this is that second run.
  bool defer();
  bool deferring() const { return deferring_; }
  /// The operator that writes a variable, if it is deferred and not converted yet; else null.
  std::shared_ptr<Deferred> deferred(const std::string& name) const;
  /// As run_block for the block of a deferred operator, with the variables as they were before it.
  std::vector<ValueWithLod> run_deferred(Deferred& operation, const Strings& wanted);
  /// The value of a variable before the deferred operator.
  ValueWithLod held(const Deferred& operation, const std::string& name) const;

 protected:
  bool replace_node(std::string_view op, const Values& operands, const Attrs& attrs, Values* results) override {
    return flow_.target.replace(*this, flow_.emitter.model(), op, operands, attrs, results);
  }

 private:
  int32_t sub_block_of(const Op& owner);
  std::vector<ValueWithLod> run_in(Scope& scope, int32_t block, const Strings& wanted);

  const ControlFlow& flow_;
  Position at_;
  std::vector<std::pair<std::string, ValueWithLod>> variables_;
  bool deferring_ = false;
};

/// Refuses when `op` cannot run blocks: converters also run on other contexts.
BlockContext& block_context(OpContext& op);

}  // namespace fluid2onnx
