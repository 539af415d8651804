// Where to cut a model that can be converted only in part.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

namespace fluid2onnx {

struct Cut {
  std::vector<std::string> outputs;  ///< variables, as --outputs takes them; empty: no cut helps
  int64_t operators = 0;             ///< that the model then has
};

/// Finds the outputs of the largest part of a model that converts: the values that failing operators read, and the
/// outputs that depend on none of them.
class CutSearch {
 public:
  /// The next operator, in order of execution.
  void visit(bool fails, const std::vector<std::string>& reads, const std::vector<std::string>& writes);
  /// Adds a value to the outputs of the part, if the part computes it.
  void add(const std::string& name);
  std::vector<std::string> outputs;

 private:
  std::set<std::string> tainted_, computed_;
};

/// "hint: use --outputs a,b, which omits what cannot be converted, and converts 17 of 19 operators", with a newline.
std::string cut_text(const Cut& cut, int64_t of);

}  // namespace fluid2onnx
