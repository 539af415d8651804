// Collects the nodes that could not be converted.
#pragma once

#include <onnx/onnx_pb.h>

#include <exception>
#include <set>
#include <string>
#include <vector>

#include "runtime/support/problem.h"
#include "runtime/support/value.h"

namespace fluid2onnx {

/// The name of a node in messages, and the base of its variables' names.
std::string name_of(const onnx::NodeProto& node);

class OnnxProblems {
 public:
  /// `depth`: of the node's graph within others. `lines`: of a spec at run time; may be empty.
  void fail(const onnx::NodeProto& node, int index, size_t depth, const std::exception& reason,
            const std::string& lines);
  /// A node of the main graph fails, or has a node that fails in its graphs. In ascending order.
  void add_failing(int node) { failing_.push_back(node); }
  /// Removes the problems from a number on, and returns the first of them.
  Problem take_from(size_t count);

  /// The value depends on a node that failed, so later failures may have the same cause.
  void taint(Value v) { tainted_.insert(v.id); }
  bool is_tainted(Value v) const { return v && tainted_.count(v.id) != 0; }
  /// Forgets values from this one on, which the scratch model has rolled back.
  void forget_from(Value first);

  const std::vector<Problem>& all() const { return all_; }
  /// Nodes of the main graph; ascending.
  const std::vector<int>& failing() const { return failing_; }

 private:
  std::vector<Problem> all_;
  std::vector<int> failing_;
  std::set<int32_t> tainted_;  // ids
};

}  // namespace fluid2onnx
