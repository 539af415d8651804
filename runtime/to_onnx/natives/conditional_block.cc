// conditional_block: runs its block if the condition holds; if not, the variables keep what they had.
//
// An if/else is two of them, on a condition and its negation, and a select_input per result. So a conditional_block is
// deferred until it is read: select_input joins a pair to one If, and any other reader makes it a separate If.
#include "runtime/convert/natives.h"
#include "runtime/to_onnx/natives/body_signature.h"

namespace fluid2onnx::natives {

void conditional_block(OpContext& op) {
  BlockContext& context = block_context(op);
  if (context.defer()) return;

  const int32_t block = context.sub_block();
  Strings names;
  for (const std::string& name : block_uses(context.program(), block).writes) {
    if (context.read_later(name)) names.push_back(name);
  }
  context.bring_in_reads(block);
  std::vector<ValueWithLod> before;
  for (const std::string& name : names) before.push_back(context.held(name));
  BodySignature signature(context, names.size());
  signature.merge(before, before);
  const Values results = op.if_else(
      context.required_input("Cond"),
      [&] {
        const std::vector<ValueWithLod> after = context.run_block(block, {}, names);
        signature.merge(before, after);
        return signature.pack(after);
      },
      [&] {
        std::vector<ValueWithLod> otherwise = before;
        // Without a value before: the program reads the variable only if the block ran.
        for (size_t i = 0; i < names.size(); ++i) {
          if (!before[i].value) otherwise[i] = {context.zeros_like(names[i])};
        }
        return signature.pack(otherwise);
      });
  const std::vector<ValueWithLod> after = signature.unpack(results);
  for (size_t i = 0; i < names.size(); ++i) context.set_variable(names[i], after[i]);
}

}  // namespace fluid2onnx::natives
