// while: runs its block as long as the condition variable is true, which the block writes anew.
//
// State goes from turn to turn by the names of outer variables. The assigns that end the body run one after the other,
// so the body is walked with its names as it stands, and what the names mean at its end is carried.
#include "runtime/convert/natives.h"
#include "runtime/driver/block_context.h"

namespace fluid2onnx::natives {
namespace {

/// The variables that the body writes and somebody reads: a later turn, or an operator after the loop.
Strings carried_variables(const BlockContext& context, int32_t body) {
  const BlockUses uses = context.uses(body);
  const NameSet reads(uses.reads.begin(), uses.reads.end());
  NameSet known;
  Strings carried;
  const auto add = [&](const std::string& name) {
    if (name.empty() || !(context.read_later(name) || reads.count(name))) return;
    if (known.insert(name).second) carried.push_back(name);
  };
  for (const std::string& name : context.op().output("Out")) add(name);
  for (const std::string& name : uses.writes) add(name);
  return carried;
}

}  // namespace

void while_loop(OpContext& op) {
  BlockContext& context = block_context(op);
  const int32_t body = context.sub_block();
  const std::string condition = context.op().input("Condition", 0);
  const Strings carried = carried_variables(context, body);
  context.bring_in_reads(body);

  Values before;
  for (const std::string& name : carried) {
    const Value value = context.value_of(name);
    // Without a value, each turn writes it before it reads it.
    before.push_back(value ? value : context.zeros_like(name));
  }
  // ONNX wants scalars, and Paddle has conditions of shape [1].
  const auto scalar = [&](Value v) { return op.node("Reshape", {v, Ints{}}, {}, 1).front(); };

  Strings wanted = carried;
  wanted.push_back(condition);
  const Values after = op.loop({}, scalar(op.input("Condition")), before, [&](Value, const Values& inside) {
    std::vector<std::pair<std::string, Value>> given;
    for (size_t i = 0; i < carried.size(); ++i) given.emplace_back(carried[i], inside[i]);
    Values results = context.run_block(body, given, wanted);
    const Value again = results.back();
    results.pop_back();
    return LoopTurn{scalar(again), results, {}};
  });
  for (size_t i = 0; i < carried.size(); ++i) context.set_variable(carried[i], after[i]);
}

}  // namespace fluid2onnx::natives
