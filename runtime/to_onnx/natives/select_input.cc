// select_input: the operand that the mask counts to; [false branch, true branch] in an if/else.
#include "runtime/convert/natives.h"
#include "runtime/to_onnx/natives/crossing.h"

namespace fluid2onnx::natives {
namespace {

/// What a select_input chooses between. A side without a block is one whose variable is undefined.
struct Pair {
  std::string otherwise, then, out;
};

/// A variable that only a block that may not have run writes, or that is undefined: either is read on its own side
/// only.
bool one_sided(BlockContext& context, const std::string& name) {
  const Postponed* block = context.postponed(name);
  return block ? !context.had_value(*block, name) : context.undefined(name);
}

/// All select_inputs from here on that choose between the same two blocks by the same mask, and the blocks.
struct Join {
  std::vector<Pair> pairs;
  Postponed* otherwise = nullptr;
  Postponed* then = nullptr;

  explicit Join(BlockContext& context) : mask_(context.op().input("Mask", 0)) {
    add(context, context.op());
    for (const Op* op : context.later_ops()) add(context, *op);
  }

 private:
  void add(BlockContext& context, const Op& op) {
    const auto& names = op.input("X");
    if (op.type != "select_input" || names.size() != 2 || op.input("Mask", 0) != mask_) return;
    Postponed* const blocks[] = {context.postponed(names[0]), context.postponed(names[1])};
    const auto fits = [](Postponed* block, Postponed* side) { return !block || !side || block == side; };
    if (!blocks[0] && !blocks[1]) return;
    if (!fits(blocks[0], otherwise) || !fits(blocks[1], then)) return;
    if (!one_sided(context, names[0]) || !one_sided(context, names[1])) return;
    if (blocks[0]) otherwise = blocks[0];
    if (blocks[1]) then = blocks[1];
    pairs.push_back({names[0], names[1], op.output("Out", 0)});
  }

  const std::string mask_;
};

/// One If of two blocks. Whether the mask agrees with their conditions does not matter: Paddle cannot read what a block
/// that did not run should have written.
Held join(BlockContext& context, const Join& join) {
  const Value mask = context.input("Mask");
  Postponed* const blocks[] = {join.then, join.otherwise};
  const auto key = [&](const Pair& pair) { return std::make_tuple(mask.id, pair.otherwise, pair.then); };
  for (const Postponed* block : blocks) {
    if (!block) continue;
    if (const auto known = block->joined.find(key(join.pairs.front())); known != block->joined.end()) {
      return known->second;
    }
  }

  const auto run = [&](Postponed* block, std::string Pair::*name) {
    Strings wanted;
    for (const Pair& pair : join.pairs) {
      if (context.postponed(pair.*name)) wanted.push_back(pair.*name);
    }
    const std::vector<Held> made = block ? context.run_postponed(*block, wanted) : std::vector<Held>();
    std::vector<Held> results;
    size_t next = 0;
    for (const Pair& pair : join.pairs) {
      results.push_back(context.postponed(pair.*name) ? made[next++] : Held{});
    }
    return results;
  };
  const Value chosen = context.node("Cast", {mask}, {Attr("to", Dtype::bool_)}, 1).front();
  Crossing crossing(context, join.pairs.size());
  std::vector<Crossing::Ends> ends(join.pairs.size());
  const auto side = [&](Postponed* block, std::string Pair::*name, Held Crossing::Ends::*end) {
    std::vector<Held> results = run(block, name);
    for (size_t i = 0; i < results.size(); ++i) {
      ends[i].*end = results[i];
      if (!results[i].value) results[i] = {context.zeros_like(join.pairs[i].out)};
    }
    return crossing.pack(results);
  };
  std::vector<Held> results;
  context.emit_until([&] {
    results = crossing.unpack(context.if_else(
        chosen, [&] { return side(join.then, &Pair::then, &Crossing::Ends::one); },
        [&] { return side(join.otherwise, &Pair::otherwise, &Crossing::Ends::other); }));
    return crossing.plan(ends);
  });
  for (Postponed* block : blocks) {
    for (size_t i = 0; block && i < results.size(); ++i) block->joined[key(join.pairs[i])] = results[i];
  }
  return results.front();
}

/// Any list of tensors: If in If.
Values choose(OpContext& op, Value mask, const std::vector<Values>& operands, size_t from) {
  if (from + 1 == operands.size()) return operands[from];
  const Value here = op.node("Equal", {mask, Operand(static_cast<int64_t>(from))}, {}, 1).front();
  return op.if_else(
      here, [&] { return operands[from]; }, [&] { return choose(op, mask, operands, from + 1); });
}

void give(BlockContext& context, const Held& held) {
  context.set_output("Out", held.value);
  if (!held.lod.empty()) context.set_lod("Out", held.lod, 0);
}

}  // namespace

void select_input(OpContext& op) {
  BlockContext& context = block_context(op);
  const Join found(context);
  // The first pair is this operator's own, if it is one.
  if (!found.pairs.empty() && found.pairs.front().out == context.op().output("Out", 0) &&
      found.otherwise != found.then) {
    give(context, join(context, found));
    return;
  }
  std::vector<Held> operands;
  for (const std::string& name : context.op().input("X")) operands.push_back(context.held(name));
  if (operands.empty()) op.refuse(E_BAD_PROGRAM, "'X' has no operands to select from");
  Crossing crossing(context, 1);
  for (const Held& operand : operands) crossing.plan({{operands.front(), operand}});
  std::vector<Values> packed;
  for (const Held& operand : operands) packed.push_back(crossing.pack({operand}));
  give(context, crossing.unpack(choose(op, op.input("Mask"), packed, 0)).front());
}

}  // namespace fluid2onnx::natives
