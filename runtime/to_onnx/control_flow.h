// Control flow: what converters of loops and branches can do beyond an OpContext.
//
// They convert blocks of the program into the bodies that they emit, and postpone operators until their results are
// read.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "runtime/convert/graph_context.h"
#include "runtime/paddle/program/uses.h"
#include "runtime/to_onnx/binder.h"
#include "runtime/to_onnx/operator_counts.h"
#include "runtime/to_onnx/output_names.h"
#include "runtime/to_onnx/postponed.h"
#include "runtime/to_onnx/target_choice.h"

namespace fluid2onnx {

/// What blocks are converted with. All members outlive it.
struct ControlFlow {
  const Program& program;
  Emitter& emitter;
  Binder& binder;
  const OutputNames& outputs;
  OperatorCounts& counts;
  TargetChoice& target;
  /// Converts what `wanted` needs of a block.
  std::function<void(int32_t block, Scope& scope, const NameSet& wanted)> run;
  /// Converts a postponed operator.
  std::function<void(Postponed&)> convert;
};

class BlockContext : public GraphContext {
 public:
  /// The operator's location in the program.
  struct Position {
    const NeededOp& live;
    const std::vector<NeededOp>& ops;  ///< of its block
    size_t index;                      ///< in ops
    Scope& scope;
    Postponed* postponed;  ///< set: this is the second run, see postpone()
    bool tainted;
  };
  BlockContext(const ControlFlow& flow, const Position& position, const OperatorSlots& slots)
      : GraphContext(flow.emitter, slots), flow_(flow), at_(position) {}

  bool target_has(std::string_view op, Dtype dtype) const override { return flow_.target.has(op, opset(), dtype); }

  /// The operator as the program has it, with names of variables.
  const Op& op() const { return *at_.live.op; }
  /// The operators after this one in its block.
  std::vector<const Op*> later_ops() const;
  /// True if the variable, which this operator may write, is read after it.
  bool read_later(const std::string& name) const { return at_.live.read_later.contains(name); }
  /// The value that a variable has before the operator; absent if it has none, or an undefined one.
  Value value_of(const std::string& name) { return held(name).value; }
  /// Of a tensor array that is rows of steps (Binder::sequence_of), an ONNX sequence.
  Held held(const std::string& name);
  /// True if the variable has a value, or will have when it is read.
  bool known(const std::string& name) const { return at_.scope.find(name) != nullptr; }
  /// True if the variable has a value that denotes an absent one.
  bool undefined(const std::string& name) const;
  /// A tensor of zeros as the program declares the variable (unknown dims: 1): for values that are never read. For
  /// a tensor array, an empty one.
  Value zeros_like(const std::string& name);

  /// The node that computes a value; null for inputs and constants.
  const Node* producer(Value v) const;
  /// The graph that nodes go to. Values of graphs with higher numbers are not there when it ends.
  GraphId graph() const;
  /// How many nodes that graph has so far.
  size_t node_count() const;
  /// Where a value lives.
  GraphId graph_of(Value v) const;
  /// Forgets what inference found of the shapes of a sequence's elements.
  Value as_sequence(Value v);
  /// Declares the type of lengths if inference does not know it: int64, 1-D.
  Value as_lengths(Value v);
  /// Gives a tensor of unknown rank the rank that the program declares for a variable, which cannot be 0.
  Value with_declared_rank(Value v, const std::string& name);

  /// The only sub-block of the operator.
  int32_t sub_block();
  BlockUses uses(int32_t block) const;
  /// Brings all that the block reads into the present graph. Call it before loop() and if_else(), whose bodies are
  /// separate graphs: values entering there are invisible elsewhere.
  void bring_in_reads(int32_t block) {
    bring_in_reads(block, [](const std::string&) { return true; });
  }
  /// The same, of the variables that it is true for.
  void bring_in_reads(int32_t block, const std::function<bool(const std::string&)>& wanted);
  /// The operators of a block.
  const std::vector<Op>& ops(int32_t block) const { return flow_.program.blocks[static_cast<size_t>(block)].ops; }
  Strings names_read(const Op& op) const { return fluid2onnx::names_read(flow_.program, op); }
  Strings names_written(const Op& op) const { return fluid2onnx::names_written(flow_.program, op); }
  /// True if the variable is an output of the model.
  bool is_output(const std::string& name) const { return flow_.outputs.is_output(name); }
  /// True if the variable belongs to the operator's own block and is unknown outside.
  bool declared_here(const std::string& name) const {
    return flow_.program.blocks[static_cast<size_t>(op().block)].find(name) != nullptr;
  }
  /// Counts an operator as converted whose converter replaces it.
  void count(const Op& op) { flow_.counts.count(op); }
  /// Converts what `wanted` needs of a block into the present graph, and gives the values at its end. `given` take the
  /// place of outer variables, and of operators that write those that are `kept`. A wanted variable without a value is
  /// refused.
  std::vector<Held> run_block(int32_t block, const std::vector<std::pair<std::string, Held>>& given,
                              const Strings& wanted, const Strings& kept = {});
  /// As OpContext::set_outputs for any variable, by name.
  void set_variable(const std::string& name, Held held) { variables_.emplace_back(name, std::move(held)); }
  const std::vector<std::pair<std::string, Held>>& variables() const { return variables_; }
  /// Emits until accepted; undoes rejected attempts.
  void emit_until(const std::function<bool()>& emit);

  /// True: the converter returns at once, and runs again when an output of the operator is read, with operands
  /// as they are now. False: this is that second run.
  bool postpone();
  bool postponing() const { return postponing_; }
  /// The operator that writes a variable, if it is postponed and not converted yet; else null.
  Postponed* postponed(const std::string& name) const;
  /// run_block for a postponed operator's block, with the variables as they were there.
  std::vector<Held> run_postponed(Postponed& operation, const Strings& wanted);
  /// What a variable held there.
  Held held(const Postponed& operation, const std::string& name) const;
  /// True if a variable of a postponed operator had a value before it.
  bool had_value(const Postponed& operation, const std::string& name) const { return operation.scope.find(name); }

 protected:
  bool replace_node(std::string_view op, const Values& operands, const Attrs& attrs, Values* results) override {
    return flow_.target.replace(*this, flow_.emitter.model(), op, operands, attrs, results);
  }

 private:
  std::vector<Held> run_in(Scope& scope, int32_t block, const Strings& wanted);

  const ControlFlow& flow_;
  Position at_;
  std::vector<std::pair<std::string, Held>> variables_;
  bool postponing_ = false;
};

/// Refuses when `op` cannot run blocks: converters also run on other contexts.
BlockContext& block_context(OpContext& op);

}  // namespace fluid2onnx
