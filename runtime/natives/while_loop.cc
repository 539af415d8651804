// while: runs its block as long as the condition variable is true, which the block writes anew.
//
// State goes from turn to turn by the names of outer variables. The assigns that end the body run one after the other,
// so the body is walked with its names as it stands, and what the names mean at its end is carried.
#include "runtime/convert/natives.h"
#include "runtime/natives/crossing.h"

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

  std::vector<Held> before;
  for (const std::string& name : carried) before.push_back(context.held(name));
  // Without a value, each turn writes it before it reads it.
  std::vector<Held> start = before;
  for (size_t i = 0; i < carried.size(); ++i) {
    if (!start[i].value) start[i] = {context.zeros_like(carried[i])};
  }
  // ONNX wants scalars, and Paddle has conditions of shape [1].
  const auto scalar = [&](Value v) { return op.node("Reshape", {v, Ints{}}, {}, 1).front(); };
  const Value first = scalar(op.input("Condition"));

  Strings wanted = carried;
  wanted.push_back(condition);
  Crossing crossing(context, carried.size());
  std::vector<Crossing::Ends> ends;
  for (const Held& held : before) ends.push_back({held, held});
  crossing.plan(ends);
  std::vector<Held> after;
  context.emit_until([&] {
    const Values results = op.loop({}, first, crossing.pack(start), [&](Value, const Values& inside) {
      const std::vector<Held> held = crossing.unpack(inside);
      std::vector<std::pair<std::string, Held>> given;
      for (size_t i = 0; i < carried.size(); ++i) given.emplace_back(carried[i], held[i]);
      std::vector<Held> done = context.run_block(body, given, wanted);
      const Value again = done.back().value;
      done.pop_back();
      for (size_t i = 0; i < carried.size(); ++i) ends[i].other = done[i];
      return LoopTurn{scalar(again), crossing.pack(done), {}};
    });
    after = crossing.unpack(results);
    // What comes out of a turn may have other lengths, which have to be carried then.
    return crossing.plan(ends);
  });
  for (size_t i = 0; i < carried.size(); ++i) context.set_variable(carried[i], after[i]);
}

}  // namespace fluid2onnx::natives
