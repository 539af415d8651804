// Range analysis for --fp16: finds nodes whose operands or results can exceed the range of float16.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "runtime/onnx/graph/graph.h"
#include "runtime/onnx/graph/magnitudes.h"
#include "runtime/onnx/graph/narrow.h"

namespace fluid2onnx {

/// Call exceeds() for the nodes of a float32 model in execution order, before they are rewritten.
///
/// float16 has magnitudes up to 65504, and down to 4e-6 with 7 bits of precision. Out of range are:
///  - constants and attributes outside this range, except those that represent infinity (masks of -1e9, bounds);
///  - results that grow: exponentials, sums of squares, sums of more than 1024 elements, ranges;
///  - selections whose result is compared with their operand (x == max(x)): ONNX Runtime removes only some of the casts
///    to 16 bits and back, so that a value can differ from itself;
///  - results computed from values out of range, up to an operator that limits them: a division by such a value, a
///    normalisation, a saturating function.
/// bfloat16 has the range of float32. Only values that would round to infinity are changed.
class HalfRange {
 public:
  HalfRange(const Model& model, Dtype low);

  /// True if the node must stay in float32. Records which of its results are out of range.
  bool exceeds(const Node& node);
  bool is_wide(Value v) const;

  /// True if all values of a constant are in the range of the 16-bit type.
  bool fits(Value v);
  /// The replacement of constants that are too large, if the node is converted.
  Overflow replacement_for(const Node& node) const;
  /// Records that a constant is narrowed.
  void note_narrowed(Value v, Overflow overflow);
  /// One line for each constant with values out of range: their number, and what happens to the constant.
  std::vector<std::string> warnings() const;

 private:
  const Magnitudes& magnitudes_of(Value v);
  bool constant_exceeds(const Node& node, size_t operand);
  bool variance_exceeds(const Node& node);
  bool attributes_exceed(const Node& node) const;
  void note_compared(const Node& node);
  bool may_overflow(const Node& node) const;
  bool results_exceed(const Node& node) const;
  bool makes_inverse(const Node& node) const;
  bool has_upper_bound(const Node& clip) const;
  void note(Value v, const std::string& what);
  bool sums_many(const Node& node) const;
  bool represents_infinity(const Node& node) const;
  bool leads_to_sum(Value v, int steps) const;
  bool leads_to_softmax(Value v, int steps) const;

  const Model& model_;
  const Dtype low_;
  std::vector<bool> wide_;      // by value: out of range
  std::vector<bool> inverse_;   // by value: out of range, and a reciprocal, so that a product with it is a division
  std::vector<bool> output_;    // by value: an output of a graph
  std::vector<bool> compared_;  // by value: compared with another computed value
  std::vector<std::vector<NodeId>> readers_;
  std::map<int32_t, Magnitudes> magnitudes_;
  std::map<int32_t, std::set<std::string>> notes_;
};

/// True for operators that only move or copy elements.
bool only_moves(std::string_view op);

}  // namespace fluid2onnx
