// Binds names of the ONNX file to values of the scratch model, graph within graph.
#pragma once

#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "runtime/onnx/read/infer_types.h"
#include "runtime/onnx/read/open_model.h"
#include "runtime/to_paddle/program_builder.h"

namespace fluid2onnx {

class OnnxBinder {
 public:
  /// Both outlive the binder.
  OnnxBinder(OnnxFile& onnx, ProgramBuilder& builder) : onnx_(onnx), builder_(builder) {}

  // -- graphs --------------------------------------------------------------------------------------------
  struct Level {
    const onnx::GraphProto* graph;
    std::unordered_map<std::string, Value> values;  ///< by name
    std::unordered_map<std::string, const onnx::TensorProto*> initializers;
    std::unordered_map<std::string, const onnx::SparseTensorProto*> sparse;
    int node = -1;  ///< the one that is converted now
  };
  /// Enters a graph, whose inputs have the first of these values.
  void enter(const onnx::GraphProto& graph, const Values& inputs);
  /// Enters the body of a function, whose nodes are not in the file.
  void enter(const onnx::FunctionProto& function, const Values& inputs);
  void leave() { levels_.pop_back(); }
  /// Leaves graphs until `depth` are open.
  void leave_to(size_t depth) { levels_.resize(depth); }
  /// The current graph now converts the node.
  void go_to(int node) { levels_.back().node = node; }
  /// The open graphs, outermost first.
  const std::vector<Level>& levels() const { return levels_; }
  size_t depth() const { return levels_.size(); }

  // -- values --------------------------------------------------------------------------------------------
  /// The value of a name; initializers are added at the first call for them. Refuses a name without a value.
  Value resolve(const std::string& name);
  /// Gives a name of the current graph a value.
  void bind(const std::string& name, Value v);
  /// The same for a result of a node that failed. Returns a value of the type that the file has for it.
  Value bind_placeholder(const onnx::GraphProto& graph, const std::string& name);
  /// Gives a value of unknown shape the type that the file has for it.
  void take_type(const onnx::GraphProto& graph, const std::string& name, Value v);
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
  std::vector<Level> levels_;
  std::unordered_map<int32_t, Names> sequence_names_;  // by id
  std::optional<GraphTypes> types_;                    // inferred over the whole file at first use
};

}  // namespace fluid2onnx
