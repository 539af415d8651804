#include "runtime/paddle/program/uses.h"

#include <algorithm>
#include <unordered_set>

namespace fluid2onnx {
namespace {

/// A list without duplicates that remembers the order of insertion.
class NameList {
 public:
  void add(const std::string& name) {
    if (!name.empty() && seen_.insert(name).second) names_.push_back(name);
  }
  void add_all(const std::vector<std::string>& names) {
    for (const std::string& name : names) add(name);
  }
  bool contains(const std::string& name) const { return seen_.count(name) != 0; }
  std::vector<std::string> take() { return std::move(names_); }

 private:
  std::vector<std::string> names_;
  std::unordered_set<std::string> seen_;
};

/// write_to_array puts one element into the array that its output names.
bool extends_its_output(const Op& op) { return op.type == "write_to_array"; }

void add_own_reads(const Op& op, NameList& reads) {
  for (const Slot& slot : op.inputs) reads.add_all(slot.args);
  for (const Attribute& attribute : op.attrs) {
    if (const VariableRefs* refs = attribute.as_variables()) reads.add_all(refs->names);
  }
  if (extends_its_output(op)) reads.add_all(op.output("Out"));
}

/// As block_uses; `writes` has also what no block declares.
BlockUses undeclared_uses(const Program& program, int32_t index) {
  const Block& block = program.blocks[static_cast<size_t>(index)];
  NameList reads, writes, surely_written;
  const auto read = [&](const std::vector<std::string>& names) {
    for (const std::string& name : names) {
      if (!surely_written.contains(name) && !block.find(name)) reads.add(name);
    }
  };
  for (const Op& op : block.ops) {
    NameList own_reads;
    add_own_reads(op, own_reads);
    read(own_reads.take());
    for (const int32_t sub_block : op.sub_blocks()) {
      const BlockUses inner = undeclared_uses(program, sub_block);
      read(inner.reads);
      for (const std::string& name : inner.writes) {
        if (!block.find(name)) writes.add(name);
      }
    }
    // What an op with a sub-block lists as outputs is assigned only if the sub-block runs.
    const bool surely = op.sub_blocks().empty();
    for (const Slot& slot : op.outputs) {
      for (const std::string& name : slot.args) {
        if (!block.find(name)) writes.add(name);
        if (surely) surely_written.add(name);
      }
    }
  }
  return {reads.take(), writes.take()};
}

}  // namespace

BlockUses block_uses(const Program& program, int32_t block) {
  BlockUses uses = undeclared_uses(program, block);
  // What no block declares is local to the block that writes it.
  const int32_t parent = program.blocks[static_cast<size_t>(block)].parent;
  std::erase_if(uses.writes, [&](const std::string& name) { return !program.find_variable(parent, name); });
  return uses;
}

bool only_slots_count(const Op& op) {
  return !extends_its_output(op) && std::none_of(op.attrs.begin(), op.attrs.end(), [](const Attribute& attribute) {
    return attribute.as_blocks() || attribute.as_variables();
  });
}

std::vector<std::string> names_read(const Program& program, const Op& op) {
  NameList reads;
  add_own_reads(op, reads);
  for (const int32_t sub_block : op.sub_blocks()) {
    reads.add_all(block_uses(program, sub_block).reads);
  }
  return reads.take();
}

std::vector<std::string> names_written(const Program& program, const Op& op) {
  NameList writes;
  for (const Slot& slot : op.outputs) writes.add_all(slot.args);
  for (const int32_t sub_block : op.sub_blocks()) {
    writes.add_all(block_uses(program, sub_block).writes);
  }
  return writes.take();
}

}  // namespace fluid2onnx
