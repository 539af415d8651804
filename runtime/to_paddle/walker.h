// Walks the graphs of an ONNX file and runs the converters of their nodes.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "runtime/onnx/read/infer_types.h"
#include "runtime/onnx/read/open_model.h"
#include "runtime/support/error.h"
#include "runtime/support/problem.h"
#include "runtime/to_paddle/fluid_context.h"

namespace fluid2onnx {

class OnnxWalker {
 public:
  /// Both outlive the walker.
  OnnxWalker(OnnxFile& onnx, ProgramBuilder& builder);

  /// The whole model: operators, inputs and outputs of the program. What could not be converted is in problems().
  void run();
  /// The values of a nested graph's outputs, given those of its inputs; the builder's position receives the operators.
  Values run_graph(const onnx::GraphProto& graph, const Values& inputs);

  /// Forgets values from this one on, which the scratch model has rolled back.
  void forget_from(Value first);

  // -- the file's data about the current node, for sequences ------------------------------
  /// The node itself; null within operators that are made of others.
  const onnx::NodeProto* current_node() const;
  /// The node that gives a name, null if none does.
  const onnx::NodeProto* giver(const std::string& name) const;
  /// The value of a name in the current graph; initializers are added on first use.
  Value resolve(const std::string& name);
  /// True if the sequence is not read after the current node. Nothing is known about those of outer graphs.
  bool is_over(Value sequence);
  /// Whether the current node has it as one operand only, and its graphs do not read it.
  bool is_operand_once(Value sequence) const;
  /// Sequences from outside that the nodes of a graph read.
  Values captured_sequences(const onnx::GraphProto& graph);

  const std::vector<Problem>& problems() const { return problems_; }
  /// Nodes of the main graph that fail, or that have one in their graphs; ascending.
  const std::vector<int>& failing() const { return failing_; }
  const std::map<std::string, int64_t>& operators() const { return operators_; }

 private:
  using Scope = std::unordered_map<std::string, Value>;

  /// The current path of nested graphs.
  struct Place {
    size_t levels, opsets, blocks;
    GraphId graph;
  };
  Place place() const;
  /// From where something failed within.
  void go_back_to(const Place& place);
  Values run_nodes(const onnx::GraphProto& graph, Scope* scope, const Values& inputs);
  void convert(const onnx::GraphProto& graph, const onnx::NodeProto& node, int index, Scope* scope);
  Values convert(const OnnxNode& node);
  /// The operator's function body in ONNX's schema, if any.
  std::optional<Values> run_function(const onnx::NodeProto& node, const Values& inputs);
  int opset_of(const std::string& domain) const;
  Values convert_shadow(const Node& node);
  void put(Scope* scope, const std::string& name, Value v);
  /// What inference over the file as a whole finds, made when first asked for: the values have types of their own.
  const TypesByName* types_of(const onnx::GraphProto& graph);
  /// Gives a value whose shape is not known the type that the file has for it.
  void take_type(const onnx::GraphProto& graph, const std::string& name, Value v);
  void fail(const onnx::NodeProto& node, int index, const Error& error, int lowest_opset);

  OnnxFile& onnx_;
  ProgramBuilder& builder_;
  std::optional<GraphTypes> types_;
  struct Level {
    const onnx::GraphProto* graph;
    Scope* scope;
    std::unordered_map<std::string, const onnx::TensorProto*> initializers;
    std::unordered_map<std::string, const onnx::SparseTensorProto*> sparse;
    int at = -1;                                                         // the node that is being converted
    std::optional<std::unordered_map<std::string, int>> last_uses = {};  // made when first asked for
  };
  std::vector<Level> levels_;
  std::vector<std::map<std::string, int, std::less<>>> opsets_;  // of the functions that are open
  std::vector<std::unique_ptr<onnx::FunctionProto>> functions_;  // values refer to their attributes
  // The names of sequences, by id, with the number of levels that were open. Those of graphs that were left stay here.
  std::unordered_map<int32_t, std::vector<std::pair<size_t, std::string>>> sequence_names_;
  std::set<int32_t> tainted_;  // values that stand in for what could not be converted
  std::vector<Problem> problems_;
  std::vector<int> failing_;
  std::map<std::string, int64_t> operators_;
};

}  // namespace fluid2onnx
