// Converts one node: runs its operator's converter or function body, then binds the results or reports the failure.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>

#include "runtime/to_paddle/binder.h"
#include "runtime/to_paddle/fluid_context.h"
#include "runtime/to_paddle/functions.h"
#include "runtime/to_paddle/problems.h"
#include "runtime/to_paddle/sequence_uses.h"

namespace fluid2onnx {

class OnnxOperatorRunner {
 public:
  using RunGraph = std::function<Values(const onnx::GraphProto& graph, const Values& inputs)>;
  using RunFunction =
      std::function<Values(const onnx::FunctionProto& function, const onnx::NodeProto& call, const Values& inputs)>;

  /// All arguments outlive it. `specs` may be null.
  OnnxOperatorRunner(OnnxFile& onnx, const AddedConverters* specs, ProgramBuilder& builder, OnnxBinder& binder,
                     OnnxProblems& problems, RunGraph run_graph, RunFunction run_function);
  OnnxOperatorRunner(const OnnxOperatorRunner&) = delete;
  OnnxOperatorRunner& operator=(const OnnxOperatorRunner&) = delete;

  /// Converts a node of the file, or of a function (`graph` is then empty). After a failure, which it reports, the
  /// results are placeholders.
  void convert(const onnx::GraphProto& graph, const onnx::NodeProto& node, int index);

  /// How many nodes of each type were converted.
  const std::map<std::string, int64_t>& counts() const { return counts_; }

 private:
  /// The nested graphs, functions and blocks that are open.
  struct Place {
    size_t levels, functions, blocks;
    GraphId graph;
  };
  Place place() const;
  void go_back_to(const Place& place);

  /// `lines` becomes the lines of a spec at run time that an exception comes from.
  void run(const onnx::GraphProto& graph, const onnx::NodeProto& node, bool* tainted, std::string* lines);
  void bind_results(const onnx::GraphProto& graph, const onnx::NodeProto& node, const Values& results, size_t first_op);
  Values run_converter(const OnnxNode& node, std::string* lines);
  /// Nothing if the operator has no function.
  std::optional<Values> run_function(const onnx::NodeProto& node, const Values& inputs);
  /// Converts a node of the scratch model.
  Values convert_shadow(const Node& node);

  OnnxFile& onnx_;
  const OnnxOperators added_;
  ProgramBuilder& builder_;
  OnnxBinder& binder_;
  OnnxProblems& problems_;
  const RunFunction run_function_;
  SequenceUses sequences_;
  OnnxFunctions functions_;
  const OnnxControlFlow flow_;
  std::map<std::string, int64_t> counts_;
};

}  // namespace fluid2onnx
