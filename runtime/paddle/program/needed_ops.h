// Which operators of a block the wanted variables need.
#pragma once

#include <algorithm>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/paddle/program/program.h"

namespace fluid2onnx {

using NameSet = std::set<std::string, std::less<>>;

/// A few names, sorted.
class SortedNames {
 public:
  bool contains(std::string_view name) const { return std::binary_search(begin(), end(), name); }
  void insert(std::string_view name);
  bool empty() const { return names_.empty(); }
  std::vector<std::string>::const_iterator begin() const { return names_.begin(); }
  std::vector<std::string>::const_iterator end() const { return names_.end(); }
  friend bool operator==(const SortedNames&, const SortedNames&) = default;

 private:
  std::vector<std::string> names_;
};

struct NeededOp {
  const Op* op = nullptr;
  SortedNames read_later;  ///< those of the variables written by the op that are read after it, or wanted at the end
  /// Bit i: the i-th name (reads first, then writes) occurs in no later operator and is no output.
  uint64_t last_mentions = 0;
};

/// In order of execution. `given` are variables that keep the value they have at the start, despite later writes.
/// `needed`, if not null, becomes the variables whose values from before the block matter.
std::vector<NeededOp> needed_ops(const Program& program, int32_t block, const NameSet& wanted,
                                 const NameSet& given = {}, NameSet* needed = nullptr);

}  // namespace fluid2onnx
