#include "runtime/to_paddle/prune.h"

#include "runtime/paddle/program/needed_ops.h"
#include "runtime/paddle/program/uses.h"

namespace fluid2onnx {

void prune(FluidModel* model) {
  Program& program = model->program;
  NameSet used;
  for (const Output& output : program.outputs) used.insert(output.value);
  std::vector<Op>& ops = program.blocks.front().ops;
  std::vector<Op> kept;
  for (const NeededOp& needed : needed_ops(program, 0, used)) {
    kept.push_back(std::move(ops[static_cast<size_t>(needed.op - ops.data())]));
  }
  for (size_t i = 0; i < kept.size(); ++i) kept[i].index = static_cast<int32_t>(i);
  ops = std::move(kept);
  for (const Input& input : program.inputs) used.insert(input.name);
  for (const Block& block : program.blocks) {
    for (const Op& op : block.ops) {
      for_each_read(program, op, [&](const std::string& name) { used.insert(name); });
      for (const Slot& slot : op.outputs) used.insert(slot.args.begin(), slot.args.end());
    }
  }
  for (Block& block : program.blocks) {
    std::erase_if(block.variables, [&](const auto& entry) { return !used.count(entry.first); });
  }
  std::erase_if(model->weights, [&](const auto& entry) { return !used.count(entry.first); });
}

}  // namespace fluid2onnx
