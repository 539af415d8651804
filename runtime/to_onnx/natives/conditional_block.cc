// conditional_block: runs its block if the condition holds; if not, the variables keep what they had.
//
// In an if/else there are two of them, on a condition and its negation, and a select_input per result. Converted one by
// one, each would be an If with a made-up other branch. So this one waits for its reader: select_input joins a pair to
// one If, and any other reader makes it a separate If.
#include "runtime/convert/natives.h"
#include "runtime/to_onnx/natives/crossing.h"

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
  std::vector<Held> before;
  for (const std::string& name : names) before.push_back(context.held(name));
  Crossing crossing(context, names.size());
  std::vector<Crossing::Ends> ends;
  for (const Held& held : before) ends.push_back({held, held});
  crossing.plan(ends);
  const Values results = op.if_else(
      op.input("Cond"),
      [&] {
        const std::vector<Held> after = context.run_block(block, {}, names);
        for (size_t i = 0; i < names.size(); ++i) ends[i].other = after[i];
        crossing.plan(ends);
        return crossing.pack(after);
      },
      [&] {
        std::vector<Held> otherwise = before;
        // No value before: who reads the variable has made sure that the block ran.
        for (size_t i = 0; i < names.size(); ++i) {
          if (!before[i].value) otherwise[i] = {context.zeros_like(names[i])};
        }
        return crossing.pack(otherwise);
      });
  const std::vector<Held> after = crossing.unpack(results);
  for (size_t i = 0; i < names.size(); ++i) context.set_variable(names[i], after[i]);
}

}  // namespace fluid2onnx::natives
