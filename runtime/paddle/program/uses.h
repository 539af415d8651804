#pragma once

#include <string>
#include <vector>

#include "runtime/paddle/program/program.h"

// Which variables an op reads and writes, sub-blocks included. All lists are free of duplicates, in
// order of first occurrence, and hold no "".

namespace fluid2onnx {

/// What a block exchanges with its surroundings by name.
struct BlockUses {
  /// Outer variables whose value from before the block may be seen: read before the block surely
  /// wrote them. Only names that the block does not declare itself.
  std::vector<std::string> reads;
  /// Outer variables that the block assigns. Whether it runs at all is known only at run time, so
  /// for liveness such a write does not end the life of the value from before.
  std::vector<std::string> writes;
};

BlockUses block_uses(const Program& program, int32_t block);

/// Every name that the op needs: all input slots, VAR and VARS attributes, the reads of its
/// sub-blocks, and the array that write_to_array extends (its output is also an input).
std::vector<std::string> names_read(const Program& program, const Op& op);

/// Every name that the op may assign: all output slots and the writes of its sub-blocks.
std::vector<std::string> names_written(const Program& program, const Op& op);

/// True if the slots of the op hold all names that it reads or writes.
bool only_slots_count(const Op& op);

/// As names_read and names_written, without the lists: most ops have none that would not be in their slots. A name may
/// come more than once, and lives as long as the call.
template <class F>
void for_each_read(const Program& program, const Op& op, F f) {
  if (!only_slots_count(op)) {
    for (const std::string& name : names_read(program, op)) f(name);
    return;
  }
  for (const Slot& slot : op.inputs) {
    for (const std::string& name : slot.args) {
      if (!name.empty()) f(name);
    }
  }
}

template <class F>
void for_each_written(const Program& program, const Op& op, F f) {
  if (!only_slots_count(op)) {
    for (const std::string& name : names_written(program, op)) f(name);
    return;
  }
  for (const Slot& slot : op.outputs) {
    for (const std::string& name : slot.args) {
      if (!name.empty()) f(name);
    }
  }
}

}  // namespace fluid2onnx
