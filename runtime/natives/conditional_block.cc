// conditional_block: runs its block if the condition holds; if not, the variables keep what they had.
//
// In an if/else there are two of them, on a condition and its negation, and a select_input per result. Converted one by
// one, each would be an If with a made-up other branch. So this one waits for its reader: select_input joins a pair to
// one If, and any other reader makes it an If of its own.
#include "runtime/convert/natives.h"
#include "runtime/driver/block_context.h"

namespace fluid2onnx::natives {

void conditional_block(OpContext& op) {
  BlockContext& context = block_context(op);
  if (context.postpone()) return;

  const int32_t block = context.sub_block();
  Strings names;
  for (const std::string& name : context.uses(block).writes) {
    if (context.read_later(name)) names.push_back(name);
  }
  context.bring_in_reads(block);
  Values before;
  for (const std::string& name : names) before.push_back(context.value_of(name));
  const Values values = op.if_else(
      op.input("Cond"), [&] { return context.run_block(block, {}, names); },
      [&] {
        Values otherwise;
        // No value before: who reads the variable has made sure that the block ran.
        for (size_t i = 0; i < names.size(); ++i)
          otherwise.push_back(before[i] ? before[i] : context.zeros_like(names[i]));
        return otherwise;
      });
  for (size_t i = 0; i < names.size(); ++i) context.set_variable(names[i], values[i]);
}

}  // namespace fluid2onnx::natives
