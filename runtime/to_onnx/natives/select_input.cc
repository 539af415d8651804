// select_input: the operand with the index `Mask`; in an if/else [false branch, true branch].
#include <memory>

#include "runtime/convert/natives.h"
#include "runtime/to_onnx/natives/body_signature.h"

namespace fluid2onnx::natives {
namespace {

/// What a select_input chooses between. A side without a block is one whose variable is undefined.
struct Pair {
  std::string otherwise, then, out;
};

/// True if the variable has a value only on one side: it is undefined, or only a conditional block writes it.
bool one_sided(BlockContext& context, const std::string& name) {
  const auto block = context.deferred(name);
  return block ? !block->scope.find(name) : context.undefined(name);
}

/// All select_inputs from here on that choose between the same two blocks by the same mask, and the blocks.
struct Join {
  std::vector<Pair> pairs;
  // Converting a block removes it from the scope, so both are kept here.
  std::shared_ptr<Deferred> otherwise, then;

  explicit Join(BlockContext& context) : mask_(context.op().input("Mask", 0)) {
    add(context, context.op());
    for (const Op* op : context.later_ops()) add(context, *op);
  }

 private:
  void add(BlockContext& context, const Op& op) {
    const auto& names = op.input("X");
    if (op.type != "select_input" || names.size() != 2 || op.input("Mask", 0) != mask_) return;
    const std::shared_ptr<Deferred> blocks[] = {context.deferred(names[0]), context.deferred(names[1])};
    const auto fits = [](const auto& block, const auto& side) {
      return !block || (block->op->op->sub_blocks().size() == 1 && (!side || block == side));
    };
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
ValueWithLod join(BlockContext& context, const Join& join) {
  const Value mask = context.required_input("Mask");
  const std::shared_ptr<Deferred> blocks[] = {join.then, join.otherwise};
  const auto key = [&](const Pair& pair) { return std::make_tuple(mask.id, pair.otherwise, pair.then); };
  for (const auto& block : blocks) {
    if (!block) continue;
    if (const auto known = block->joined.find(key(join.pairs.front())); known != block->joined.end()) {
      return known->second;
    }
  }

  const auto run = [&](const std::shared_ptr<Deferred>& block, std::string Pair::*name) {
    Strings wanted;
    std::vector<size_t> pairs;
    for (size_t i = 0; i < join.pairs.size(); ++i) {
      const std::string& variable = join.pairs[i].*name;
      if (!context.deferred(variable)) continue;
      wanted.push_back(variable);
      pairs.push_back(i);
    }
    std::vector<ValueWithLod> results(join.pairs.size());
    if (!block) return results;
    const std::vector<ValueWithLod> made = context.run_deferred(*block, wanted);
    for (size_t i = 0; i < pairs.size(); ++i) results[pairs[i]] = made[i];
    return results;
  };
  const Value chosen = context.node("Cast", {mask}, {Attr("to", Dtype::bool_)});
  BodySignature signature(context, join.pairs.size());
  const auto side = [&](const std::shared_ptr<Deferred>& block, std::string Pair::*name,
                        std::vector<ValueWithLod>* made) {
    std::vector<ValueWithLod> results = *made = run(block, name);
    for (size_t i = 0; i < results.size(); ++i) {
      if (!results[i].value) results[i] = {context.zeros_like(join.pairs[i].out)};
    }
    return signature.pack(results);
  };
  std::vector<ValueWithLod> results, then(join.pairs.size()), otherwise(join.pairs.size());
  context.emit_until([&] {
    results = signature.unpack(context.if_else(
        chosen, [&] { return side(join.then, &Pair::then, &then); },
        [&] { return side(join.otherwise, &Pair::otherwise, &otherwise); }));
    return signature.merge(then, otherwise);
  });
  for (const auto& block : blocks) {
    for (size_t i = 0; block && i < results.size(); ++i) block->joined[key(join.pairs[i])] = results[i];
  }
  return results.front();
}

/// Any list of tensors: If in If.
Values choose(OpContext& op, Value mask, const std::vector<Values>& operands, size_t from) {
  if (from + 1 == operands.size()) return operands[from];
  const Value here = op.node("Equal", {mask, Operand(static_cast<int64_t>(from))});
  return op.if_else(
      here, [&] { return operands[from]; }, [&] { return choose(op, mask, operands, from + 1); });
}

void give(BlockContext& context, const ValueWithLod& held) {
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
  std::vector<ValueWithLod> operands;
  for (const std::string& name : context.op().input("X")) operands.push_back(context.held(name));
  if (operands.empty()) op.refuse(E_BAD_PROGRAM, "'X' has no operands to select from");
  BodySignature signature(context, 1);
  for (const ValueWithLod& operand : operands) signature.merge({operands.front()}, {operand});
  std::vector<Values> packed;
  for (const ValueWithLod& operand : operands) packed.push_back(signature.pack({operand}));
  give(context, signature.unpack(choose(op, context.required_input("Mask"), packed, 0)).front());
}

}  // namespace fluid2onnx::natives
