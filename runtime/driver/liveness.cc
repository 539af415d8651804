#include "runtime/driver/liveness.h"

#include <algorithm>

#include "runtime/program/uses.h"

namespace fluid2onnx {

std::vector<LiveOp> live_ops(const Program& program, int32_t block, const NameSet& wanted, const NameSet& given,
                             NameSet* needed) {
  std::vector<LiveOp> result;
  NameSet live = wanted;
  for (const std::string& name : given) live.erase(name);

  const auto& ops = program.blocks[static_cast<size_t>(block)].ops;
  for (auto op = ops.rbegin(); op != ops.rend(); ++op) {
    LiveOp entry{&*op, {}};
    const std::vector<std::string> written = names_written(program, *op);
    for (const std::string& name : written) {
      if (live.count(name)) entry.read_later.insert(name);
    }
    if (entry.read_later.empty()) continue;

    // A block may not run, or not once: what its operator writes may be the value from before.
    if (op->sub_blocks().empty()) {
      for (const std::string& name : written) live.erase(name);
    }
    for (const std::string& name : names_read(program, *op)) {
      if (!given.count(name)) live.insert(name);
    }
    result.push_back(std::move(entry));
  }
  if (needed) *needed = std::move(live);
  std::reverse(result.begin(), result.end());
  return result;
}

}  // namespace fluid2onnx
