// Binds the operands of nodes to values of the scratch model, and results to names of the ONNX file.
#pragma once

#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "runtime/onnx/read/infer_types.h"
#include "runtime/onnx/read/open_model.h"
#include "runtime/to_paddle/program_builder.h"
#include "runtime/to_paddle/scope.h"

namespace fluid2onnx {

class OnnxBinder {
 public:
  /// Both outlive the binder.
  OnnxBinder(OnnxFile& onnx, ProgramBuilder& builder) : onnx_(onnx), builder_(builder) {}

  // -- open graphs, each with a scope --------------------------------------------------------------------
  /// Enters a graph, whose inputs have the first of these values.
  void enter(const onnx::GraphProto& graph, const Values& inputs);
  /// Enters the body of a function, whose nodes are not in the file.
  void enter(const onnx::FunctionProto& function, const Values& inputs);
  void leave() { scopes_.pop_back(); }
  /// Leaves graphs until `depth` are open.
  void leave_to(size_t depth) { scopes_.resize(depth); }
  /// The current graph now converts the node.
  void go_to(int node) { scopes_.back().node = node; }
  /// Outermost first.
  const std::vector<OnnxScope>& scopes() const { return scopes_; }
  size_t depth() const { return scopes_.size(); }

  // -- operands ------------------------------------------------------------------------------------------
  /// The value of a name as an operand. The first call adds an initializer to the scratch model. Refuses a name
  /// without a value.
  Value operand(const std::string& name);

  // -- results -------------------------------------------------------------------------------------------
  /// Gives a name of the current graph a value.
  void bind(const std::string& name, Value v);
  /// Binds the results of a failed node to new values of the types that the file has for them, and returns these.
  Values bind_placeholders(const onnx::GraphProto& graph, const onnx::NodeProto& node);
  /// Gives a value of unknown shape the type that the file has for it.
  void take_declared_type(const onnx::GraphProto& graph, const std::string& name, Value v);
  /// Forgets values from this one on, which the scratch model has rolled back.
  void forget_from(Value first);

  /// The names of a sequence, each with the number of graphs that were open; null if none. Names in graphs that were
  /// left are among them.
  using Names = std::vector<std::pair<size_t, std::string>>;
  const Names* sequence_names(Value sequence) const;

 private:
  const TypesByName* types_of(const onnx::GraphProto& graph);

  OnnxFile& onnx_;
  ProgramBuilder& builder_;
  std::vector<OnnxScope> scopes_;
  std::unordered_map<int32_t, Names> sequence_names_;  // by id
  std::optional<GraphTypes> types_;                    // inferred over the whole file at first use
};

}  // namespace fluid2onnx
