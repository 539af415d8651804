// Which nodes of an ONNX model a target refuses.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "runtime/onnx/read/infer_types.h"
#include "runtime/onnx/read/open_model.h"
#include "runtime/targets/node_check.h"
#include "runtime/targets/targets.h"

namespace fluid2onnx {

/// What a target refuses.
struct TargetProblem {
  using Kind = TargetProblemKind;
  Kind kind;
  std::string op;      ///< "Loop", "com.microsoft.Gelu"; empty for the whole model
  std::string node;    ///< its name; may be empty
  std::string output;  ///< its first result, or the input of the model
  int depth = 0;       ///< of its graph within others
  std::string message;
  std::string hint;  ///< may be empty
};

/// "opset", "input", "domain", "operator", "dtype" ...: what scripts compare.
const char* kind_name(TargetProblem::Kind kind);

struct TargetReport {
  const Target* target = nullptr;
  int opset = 0;
  int64_t nodes = 0;  ///< bodies included
  std::vector<TargetProblem> problems;

  /// Outputs at which the model can be cut so that no refused node remains; empty if no cut helps.
  std::vector<std::string> cut;
  int64_t cut_nodes = 0;  ///< that the main graph then has
  bool captures = false;  ///< a body reads values of the graph around it
  /// Of the rest behind the cut, where the program is known: its inputs, and its outputs if they are not all of the
  /// model.
  std::vector<std::string> rest_inputs, rest_outputs;

  bool ok() const { return problems.empty(); }
};

/// A model with the types of its values, for any number of targets.
class TargetLint {
 public:
  /// The file must outlive this.
  explicit TargetLint(const OnnxFile& onnx);
  /// `can_be_output`: the names of values at which the model can be cut.
  TargetReport check(const Target& target, const std::function<bool(const std::string&)>& can_be_output) const;

 private:
  const OnnxFile& onnx_;
  GraphTypes types_;
};

}  // namespace fluid2onnx
