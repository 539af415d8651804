// Which operators of a block the wanted variables need.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "runtime/program/program.h"

namespace fluid2onnx {

using NameSet = std::set<std::string, std::less<>>;

struct LiveOp {
  const Op* op = nullptr;
  NameSet read_later;  ///< those of the variables written by the op that are read after it, or wanted at the end
};

/// In order of execution. `given` are variables that keep the value they have at the start, whoever writes them.
/// `needed`, if not null, becomes the variables whose values from before the block matter.
std::vector<LiveOp> live_ops(const Program& program, int32_t block, const NameSet& wanted, const NameSet& given = {},
                             NameSet* needed = nullptr);

}  // namespace fluid2onnx
