#include "runtime/paddle/program/needed_ops.h"

#include <algorithm>
#include <deque>
#include <functional>
#include <string_view>
#include <unordered_set>

#include "runtime/paddle/program/uses.h"
#include "runtime/support/hash_set.h"

namespace fluid2onnx {

void SortedNames::insert(std::string_view name) {
  const auto at = std::lower_bound(names_.begin(), names_.end(), name);
  if (at == names_.end() || *at != name) names_.emplace(at, name);
}

std::vector<NeededOp> needed_ops(const Program& program, int32_t block, const NameSet& wanted, const NameSet& given,
                                 NameSet* needed) {
  std::vector<NeededOp> result;
  std::unordered_set<std::string_view> live;
  std::deque<std::string> kept;  // names that the program does not store
  HashSet mentioned;             // two names with the same hash only keep a value longer
  const auto add = [&](const std::string& name, bool stays) {
    if (given.count(name) == 0 && live.count(name) == 0) live.insert(stays ? name : kept.emplace_back(name));
  };
  const auto mention = [&](std::string_view name) { return mentioned.insert(std::hash<std::string_view>()(name)); };
  for (const std::string& name : wanted) {
    add(name, true);
    mention(name);
  }

  const auto& ops = program.blocks[static_cast<size_t>(block)].ops;
  result.reserve(ops.size());
  for (auto op = ops.rbegin(); op != ops.rend(); ++op) {
    NeededOp entry{&*op, {}, 0};
    for_each_written(program, *op, [&](const std::string& name) {
      if (live.count(name)) entry.read_later.insert(name);
    });
    if (entry.read_later.empty()) continue;

    // A sub-block may not run, so its writes do not end the life of the previous value.
    const bool stays = only_slots_count(*op);
    if (stays || op->sub_blocks().empty()) {
      for_each_written(program, *op, [&](const std::string& name) { live.erase(name); });
    }
    uint64_t bit = 1;
    const auto note = [&](const std::string& name) {
      if (mention(name)) entry.last_mentions |= bit;
      bit <<= 1;
    };
    for_each_read(program, *op, [&](const std::string& name) {
      add(name, stays);
      note(name);
    });
    for_each_written(program, *op, note);
    result.push_back(std::move(entry));
  }
  if (needed) *needed = NameSet(live.begin(), live.end());
  std::reverse(result.begin(), result.end());
  return result;
}

}  // namespace fluid2onnx
