// Which nodes compute with numbers, or make numbers, that 16 bits do not hold.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "runtime/onnx/graph/graph.h"
#include "runtime/onnx/graph/magnitudes.h"
#include "runtime/onnx/graph/narrow.h"

namespace fluid2onnx {

/// Asked about the nodes of a float32 model in order of execution, before they are rewritten.
///
/// float16 ends at 65504 and, with some digits left, at 4e-6. Out of range are
///  - constants and attributes beyond that, but for those that stand for infinity (masks of -1e9, bounds),
///  - growing results: exponentials, squares that are summed, sums of many, and counts up to many,
///  - what chooses among numbers that are compared with each other afterwards (x == max(x)). ONNX Runtime leaves out
///  casts
///    to 16 bits and back, but not all of them, and then a number differs from itself;
///  - what is computed from values out of range, until an operator brings it back: a division by another such value, a
///  root of
///    which something is divided, a normalisation, a saturating function.
/// bfloat16 has the range of float32: only the last numbers before infinity are to be rounded down.
class HalfRange {
 public:
  HalfRange(const Model& model, Dtype low);

  /// True if the node is to stay in float32. Notes what that means for its results.
  bool exceeds(const Node& node);
  bool is_wide(Value v) const;

  /// True if the numbers of a constant can be stored in 16 bits.
  bool fits(Value v);
  /// Replaces constants that are too large if the node does not stay in float32.
  Beyond stand_in_for(const Node& node) const;
  /// Records that a constant is narrowed.
  void note_narrowed(Value v, Beyond beyond);
  /// One line for each constant whose numbers are too large, and what became of it.
  std::vector<std::string> warnings() const;

 private:
  const Magnitudes& magnitudes_of(Value v);
  bool constant_exceeds(const Node& node, size_t operand);
  bool variance_exceeds(const Node& node);
  bool attributes_exceed(const Node& node) const;
  void note_compared(const Node& node);
  bool grows(const Node& node) const;
  bool results_exceed(const Node& node) const;
  bool makes_inverse(const Node& node) const;
  bool has_upper_bound(const Node& clip) const;
  void note(Value v, const std::string& what);
  bool sums_many(const Node& node) const;
  bool stands_for_infinity(const Node& node) const;
  bool leads_to_sum(Value v, int steps) const;
  bool leads_to_softmax(Value v, int steps) const;

  const Model& model_;
  const Dtype low_;
  std::vector<bool> wide_;      // by value
  std::vector<bool> inverse_;   // of those, the reciprocals that others are multiplied by
  std::vector<bool> output_;    // of some graph
  std::vector<bool> compared_;  // with other values that are computed
  std::vector<std::vector<NodeId>> readers_;
  std::map<int32_t, Magnitudes> magnitudes_;
  std::map<int32_t, std::set<std::string>> notes_;
};

/// Operators that hand on what they get.
bool only_moves(std::string_view op);

}  // namespace fluid2onnx
