// How many operators of each type were converted.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "runtime/paddle/program/program.h"

namespace fluid2onnx {

class OperatorCounts {
 public:
  explicit OperatorCounts(size_t blocks) : counted_(blocks) {}

  /// Counts an operator once: bodies of loops are converted repeatedly.
  void count(const Op& op) {
    std::vector<bool>& counted = counted_[static_cast<size_t>(op.block)];
    const auto at = static_cast<size_t>(op.index);
    if (counted.size() <= at) counted.resize(at + 1);
    if (!counted[at]) ++by_type_[op.type];
    counted[at] = true;
  }
  const std::map<std::string, int64_t>& by_type() const { return by_type_; }

 private:
  std::map<std::string, int64_t> by_type_;
  std::vector<std::vector<bool>> counted_;  // by block and index
};

}  // namespace fluid2onnx
