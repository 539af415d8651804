// recurrent: runs its block on each slice of the operands along axis 0 and stacks the results. (StaticRNN)
//
// The block has its own names for slices and states that it reads, and for states and slices that it writes.
#include "runtime/convert/natives.h"
#include "runtime/to_onnx/control_flow.h"

namespace fluid2onnx::natives {

void recurrent(OpContext& op) {
  BlockContext& context = block_context(op);
  const int32_t body = context.sub_block();
  const Strings inputs = context.op().input("inputs"), outputs = context.op().output("outputs");
  const Strings before = op.attr_strings("ex_states", {}), after = op.attr_strings("states", {});
  const Values sequences = op.inputs("inputs"), states = op.inputs("initial_states");
  if (sequences.empty()) op.refuse(E_BAD_PROGRAM, "the number of steps is missing: no operand is a sequence");
  if (before.size() != states.size() || after.size() != states.size()) {
    op.refuse(E_BAD_PROGRAM, "'ex_states' and 'states' must have one name per state");
  }
  context.bring_in_reads(body);

  Strings wanted = after;
  wanted.insert(wanted.end(), outputs.begin(), outputs.end());
  const bool reverse = op.attr_bool("reverse", false);
  const Dim steps = op.dim(sequences.front(), 0);
  const Value last = reverse ? op.node("Sub", {op.tensor(steps), Operand(1)}) : Value();
  Values results = op.loop(steps, {}, states, [&](Value iteration, const Values& inside) {
    const Value step = reverse ? op.node("Sub", {last, iteration}) : iteration;
    std::vector<std::pair<std::string, ValueWithLod>> given;
    for (size_t i = 0; i < inputs.size(); ++i) {
      given.emplace_back(inputs[i], ValueWithLod{op.node("Gather", {sequences[i], step}, {Attr("axis", 0)})});
    }
    for (size_t i = 0; i < inside.size(); ++i) given.emplace_back(before[i], ValueWithLod{inside[i]});
    const std::vector<ValueWithLod> made = context.run_block(body, given, wanted);
    LoopIteration done;
    for (size_t i = 0; i < made.size(); ++i) {
      (i < after.size() ? done.carried : done.scan_outputs).push_back(made[i].value);
    }
    if (reverse) done.scan_outputs.push_back(step);
    return done;
  });
  results.erase(results.begin(), results.begin() + static_cast<std::ptrdiff_t>(states.size()));
  if (reverse) {
    const Value order = results.back();
    results.pop_back();
    for (Value& result : results) result = op.node("Gather", {result, order}, {Attr("axis", 0)});
  }
  op.set_outputs("outputs", results);
}

}  // namespace fluid2onnx::natives
