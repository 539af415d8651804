// select_input: the operand that the mask counts to; [false branch, true branch] in an if/else.
#include "runtime/convert/natives.h"
#include "runtime/driver/block_context.h"

namespace fluid2onnx::natives {
namespace {

/// The two operands of a select_input that only conditional blocks write.
struct Pair {
  std::string otherwise, then;
};

/// All select_inputs from here on that choose between the same two blocks by the same mask.
std::vector<Pair> pairs_of(const BlockContext& context, const Postponed* otherwise, const Postponed* then) {
  const std::string& mask = context.op().input("Mask", 0);
  std::vector<Pair> pairs;
  const auto add = [&](const Op& op) {
    const auto& names = op.input("X");
    if (op.type != context.op().type || names.size() != 2 || op.input("Mask", 0) != mask) return;
    if (context.postponed(names[0]) == otherwise && context.postponed(names[1]) == then) {
      pairs.push_back({names[0], names[1]});
    }
  };
  add(context.op());
  for (const Op* op : context.later_ops()) add(*op);
  return pairs;
}

/// One If of two blocks. Whether the mask agrees with their conditions does not matter: Paddle cannot read what a block
/// that did not run should have written.
Value join(BlockContext& context, Postponed* otherwise, Postponed* then) {
  const Value mask = context.input("Mask");
  const auto& names = context.op().input("X");
  const auto key = [&](const std::string& f, const std::string& t) {
    return std::make_tuple(otherwise, mask.id, f, t);
  };
  const auto known = then->joined.find(key(names[0], names[1]));
  if (known != then->joined.end()) return known->second;

  const std::vector<Pair> pairs = pairs_of(context, otherwise, then);
  Strings then_names, otherwise_names;
  for (const Pair& pair : pairs) {
    then_names.push_back(pair.then);
    otherwise_names.push_back(pair.otherwise);
  }
  const Value chosen = context.node("Cast", {mask}, {Attr("to", Dtype::bool_)}, 1).front();
  const Values results = context.if_else(
      chosen, [&] { return context.run_postponed(*then, then_names); },
      [&] { return context.run_postponed(*otherwise, otherwise_names); });
  for (size_t i = 0; i < pairs.size(); ++i) then->joined[key(pairs[i].otherwise, pairs[i].then)] = results[i];
  return results.front();
}

/// Any list of tensors: If in If.
Value choose(OpContext& op, Value mask, const Values& operands, size_t from) {
  if (from + 1 == operands.size()) return operands[from];
  const Value here = op.node("Equal", {mask, Operand(static_cast<int64_t>(from))}, {}, 1).front();
  return op
      .if_else(
          here, [&] { return Values{operands[from]}; }, [&] { return Values{choose(op, mask, operands, from + 1)}; })
      .front();
}

}  // namespace

void select_input(OpContext& op) {
  BlockContext& context = block_context(op);
  const auto& names = context.op().input("X");
  if (names.size() == 2) {
    Postponed* otherwise = context.postponed(names[0]);
    Postponed* then = context.postponed(names[1]);
    const auto fresh = [&](const Postponed* p, const std::string& name) { return p && !context.had_value(*p, name); };
    if (otherwise != then && fresh(otherwise, names[0]) && fresh(then, names[1])) {
      op.set_output("Out", join(context, otherwise, then));
      return;
    }
  }
  const Values operands = op.inputs("X");
  if (operands.empty()) op.refuse("E_BAD_PROGRAM", "nothing to select from");
  op.set_output("Out", choose(op, op.input("Mask"), operands, 0));
}

}  // namespace fluid2onnx::natives
