#include "runtime/to_paddle/prune.h"

#include <algorithm>
#include <set>

#include "runtime/paddle/program/uses.h"

namespace fluid2onnx {
namespace {

using NameSet = std::set<std::string, std::less<>>;

void add_reads(const Program& program, const Op& op, NameSet* names) {
  for_each_read(program, op, [&](const std::string& name) { names->insert(name); });
}

/// True if the operator gives something that is read; what else a control flow operator writes is its own business.
bool is_wanted(const Op& op, const NameSet& read) {
  return std::any_of(op.outputs.begin(), op.outputs.end(), [&](const Slot& slot) {
    return std::any_of(slot.args.begin(), slot.args.end(), [&](const std::string& name) { return read.count(name); });
  });
}

void prune_block(Program* program, Block* block, NameSet* read) {
  // A block of a loop reads in the next iteration what it writes in this one.
  std::vector<Op> kept;
  for (auto op = block->ops.rbegin(); op != block->ops.rend(); ++op) {
    if (!is_wanted(*op, *read)) continue;
    add_reads(*program, *op, read);
    kept.push_back(std::move(*op));
  }
  std::reverse(kept.begin(), kept.end());
  block->ops = std::move(kept);
  for (size_t i = 0; i < block->ops.size(); ++i) block->ops[i].index = static_cast<int32_t>(i);
}

}  // namespace

void prune(FluidModel* model) {
  Program& program = model->program;
  NameSet read;
  for (const Output& output : program.outputs) read.insert(output.value);
  prune_block(&program, &program.blocks.front(), &read);
  NameSet used = read;
  for (const Input& input : program.inputs) used.insert(input.name);
  for (const Block& block : program.blocks) {
    for (const Op& op : block.ops) {
      add_reads(program, op, &used);
      for (const Slot& slot : op.outputs) used.insert(slot.args.begin(), slot.args.end());
    }
  }
  for (Block& block : program.blocks) {
    std::erase_if(block.variables, [&](const auto& entry) { return !used.count(entry.first); });
  }
  std::erase_if(model->weights, [&](const auto& entry) { return !used.count(entry.first); });
}

}  // namespace fluid2onnx
