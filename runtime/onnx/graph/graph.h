// A light ONNX model in memory: graphs nested in nodes (If, Loop), their nodes in order, and all values.
//
// Ids of values, nodes and graphs count over the whole model, so a fluid2onnx::Value means the same in every scope.
// Names are unique over the whole model as well, because ONNX forbids a body to hide an outer name.
#pragma once

#include <onnx/onnx_pb.h>

#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "runtime/onnx/graph/tensor.h"
#include "runtime/onnx/graph/type_table.h"
#include "runtime/support/hash_set.h"
#include "runtime/support/shared_list.h"
#include "runtime/support/value.h"

namespace fluid2onnx {

/// Inference looks at the numbers of constants up to this size only.
constexpr uint64_t kSmallProto = 1024;

using NodeId = int32_t;
using GraphId = int32_t;

struct ValueInfo {
  std::string name;
  const onnx::TypeProto& type() const { return *shared_type; }
  /// Of the model's table.
  const onnx::TypeProto* shared_type = &onnx::TypeProto::default_instance();
  std::shared_ptr<const Tensor> constant;  ///< set: an initializer of `graph`
  /// What is known of the elements of an int tensor that holds a shape: numbers, names of dims, or nothing.
  std::shared_ptr<const onnx::TensorShapeProto> elements;
  NodeId producer = -1;  ///< -1: an input or a constant
  GraphId graph = 0;     ///< where it lives
  bool named = false;    ///< the name is one that the user knows
  /// The constant as the ONNX library wants it, made when first asked for.
  mutable std::shared_ptr<const onnx::TensorProto> proto;
};

/// The attributes of a node. Most nodes of an operator have the same (see AttributeTable).
using Attributes = SharedList<onnx::AttributeProto>;

struct Body {
  std::string attribute;  ///< "body", "then_branch" ...
  GraphId graph;
};

struct Node {
  std::string op_type;
  std::string domain;
  Values inputs;   ///< absent: left out
  Values outputs;  ///< absent: not wanted
  Attributes attributes;
  std::vector<Body> bodies;
  GraphId graph = 0;

  /// One of ONNX's own operators.
  bool is(std::string_view op) const { return domain.empty() && op_type == op; }
};

struct Graph {
  GraphId parent = -1;
  std::vector<NodeId> nodes;  ///< in order of execution
  Values inputs;
  Values outputs;
  Values initializers;
};

class Model {
 public:
  explicit Model(int opset);
  Model(const Model&) = delete;
  Model& operator=(const Model&) = delete;

  int opset() const { return opset_; }

  const ValueInfo& operator[](Value v) const { return values_[static_cast<size_t>(v.id)]; }
  const Node& node(NodeId id) const { return nodes_[static_cast<size_t>(id)]; }
  Node& node(NodeId id) { return nodes_[static_cast<size_t>(id)]; }
  const Graph& graph(GraphId id) const { return graphs_[static_cast<size_t>(id)]; }
  Graph& graph(GraphId id) { return graphs_[static_cast<size_t>(id)]; }
  const Graph& main() const { return graphs_.front(); }
  Graph& main() { return graphs_.front(); }
  size_t value_count() const { return values_.size(); }
  size_t graph_count() const { return graphs_.size(); }

  // -- building ------------------------------------------------------------------------------------------
  /// The graph that new nodes go to.
  GraphId current() const { return current_; }
  /// Starts a graph nested in the current one, and makes it the current one.
  GraphId enter();
  /// Makes the parent of the current graph the current one.
  void leave();
  /// Makes a graph that exists the current one, to rewrite it; gives the one before.
  GraphId switch_to(GraphId graph) { return std::exchange(current_, graph); }

  /// An input of the current graph.
  Value add_input(std::string_view name, const onnx::TypeProto& type);
  /// The graph that a new constant of this size goes to.
  GraphId constants_go_to(uint64_t bytes) const;
  /// A constant; large ones and those of old opsets go to the main graph, others to the current one.
  Value add_constant(Tensor tensor, std::string_view name = {});
  /// A parameter of the model: a constant of the main graph that keeps its name.
  Value add_parameter(std::string_view name, Tensor tensor);
  /// Bytes of all constants that were ever added.
  uint64_t constant_bytes() const { return constant_bytes_; }
  /// A result of a node to be added.
  Value new_value(std::string_view name_hint);
  NodeId add_node(Node node);
  /// Marks a value as an output of the current graph. The value belongs to this graph (see Emitter::add_output).
  void add_output(Value v) { graph(current_).outputs.push_back(v); }

  void set_type(Value v, const onnx::TypeProto& type) { at(v).shared_type = types_.share(type); }
  void set_elements(Value v, std::shared_ptr<const onnx::TensorShapeProto> elements) {
    at(v).elements = std::move(elements);
  }
  /// Gives a value the name that the user knows (made unique). Values that carry such a name keep theirs, unless
  /// `replace`.
  void rename(Value v, std::string_view name, bool replace = false);
  /// Turns a constant of the main graph into the result of a node, which comes first.
  void make_computed(Value v, Node node);
  /// Makes `v`, so far the result of a node that is to go, result `index` of another.
  void set_result(NodeId id, size_t index, Value v);

  /// `base` if it is free, else "base_1" and so on. Reserves it.
  std::string unique_name(std::string_view base);
  /// Free values get names below this ("conv2d_0.tmp_0" makes "conv2d_0.tmp_0/Add"). Gives the prefix before.
  std::string set_name_prefix(std::string prefix) { return std::exchange(name_prefix_, std::move(prefix)); }

  // -- questions -----------------------------------------------------------------------------------------
  /// True if a value of graph `from` can be read in graph `in`: the same graph or one around it.
  bool visible(GraphId from, GraphId in) const;
  /// How often each value is read, by nodes and as an output, over all graphs that are reachable.
  std::vector<int32_t> use_counts() const;
  /// Bytes of one dtype; undefined for what is no tensor or not known.
  Dtype dtype(Value v) const;
  /// The shape; null when the rank is unknown.
  const onnx::TensorShapeProto* shape(Value v) const;
  /// All dims when all are known.
  std::optional<Ints> static_shape(Value v) const;
  /// A constant of at most a kilobyte as a protobuf, else null.
  const onnx::TensorProto* small_proto(Value v) const;

  // -- undoing -------------------------------------------------------------------------------------------
  /// A moment to come back to. Valid while the current graph and those around it are still open.
  struct Mark {
    size_t values, nodes, graphs, names, renames, keys;
    GraphId current;
    struct Sizes {
      GraphId graph;
      size_t nodes, inputs, outputs, initializers;
    };
    std::vector<Sizes> open;
    std::string name_prefix;
  };
  Mark mark();
  void rollback(const Mark& mark);

  // Values found again by what they compute, per graph. Rollback forgets what was remembered since.
  void remember(GraphId graph, std::string key, Value v);
  Value recall(GraphId graph, const std::string& key) const;

 private:
  ValueInfo& at(Value v) { return values_[static_cast<size_t>(v.id)]; }
  Value new_value_named(std::string name, bool named, GraphId graph);

  int opset_;
  std::deque<ValueInfo> values_;
  uint64_t constant_bytes_ = 0;
  std::deque<Node> nodes_;
  std::deque<Graph> graphs_;
  GraphId current_ = 0;
  std::string name_prefix_;

  TypeTable types_;
  HashSet names_;  // should two names ever have the same hash, one of them gets a suffix
  std::unordered_map<std::string, int> next_suffix_;  // where to go on looking for a free name
  // What a rollback needs to know, from the first mark on.
  bool marked_ = false;
  struct Reserved {
    size_t name;  // in names_
    int* next;    // in next_suffix_; null: the name was free
    int suffix;
  };
  std::vector<Reserved> name_log_;
  struct Rename {
    Value value;
    std::string old_name;
    bool old_named;
  };
  std::vector<Rename> renames_;
  std::unordered_map<std::string, Value> keys_;
  std::vector<std::string> key_log_;
};

/// The type of a tensor; without dims when they are absent. A negative dim is unknown.
onnx::TypeProto tensor_type(Dtype dtype, const std::optional<Ints>& dims = std::nullopt);
onnx::TensorProto to_proto(const Tensor& tensor, const std::string& name);

}  // namespace fluid2onnx
