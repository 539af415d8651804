// A compact ONNX model in memory: values, nodes, and graphs, which can be bodies of nodes (If, Loop).
//
// Ids of values, nodes and graphs are unique in the model, so a fluid2onnx::Value is valid in every scope. Names are
// also unique in the model, because in ONNX a body must not redefine an outer name.
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

/// Constants up to this size are stored in the model file, where shape inference reads their elements.
constexpr uint64_t kSmallTensorBytes = 1024;

using NodeId = int32_t;
using GraphId = int32_t;

struct ValueInfo {
  std::string name;
  const onnx::TypeProto& type() const { return *shared_type; }
  /// Owned by the model's type table.
  const onnx::TypeProto* shared_type = &onnx::TypeProto::default_instance();
  std::shared_ptr<const Tensor>
      constant;  ///< set: an initializer of `graph`
                 /// The known elements of an int tensor that represents a shape: sizes, names of dims, or unknown.
  std::shared_ptr<const onnx::TensorShapeProto> elements;
  NodeId producer = -1;  ///< -1: an input or a constant
  GraphId graph = 0;     ///< the graph that defines it
  bool named = false;    ///< the name comes from the program or the user
  /// The constant as protobuf, created at the first use.
  mutable std::shared_ptr<const onnx::TensorProto> proto;
};

/// The attributes of a node. Nodes share equal lists (see AttributeTable).
using Attributes = SharedList<onnx::AttributeProto>;

struct Body {
  std::string attribute;  ///< "body", "then_branch" ...
  GraphId graph;
};

struct Node {
  std::string op_type;
  std::string domain;
  Values inputs;   ///< absent: an omitted optional input
  Values outputs;  ///< absent: an omitted optional output
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

  /// E_BAD_PROGRAM if the value is absent: recipes read required operands unchecked, and a damaged file can omit them.
  const ValueInfo& operator[](Value v) const {
    if (!v) refuse_absent();
    return values_[static_cast<size_t>(v.id)];
  }
  const Node& node(NodeId id) const { return nodes_[static_cast<size_t>(id)]; }
  Node& node(NodeId id) { return nodes_[static_cast<size_t>(id)]; }
  const Graph& graph(GraphId id) const { return graphs_[static_cast<size_t>(id)]; }
  Graph& graph(GraphId id) { return graphs_[static_cast<size_t>(id)]; }
  const Graph& main() const { return graphs_.front(); }
  Graph& main() { return graphs_.front(); }
  size_t value_count() const { return values_.size(); }
  size_t graph_count() const { return graphs_.size(); }

  // -- building ------------------------------------------------------------------------------------------
  /// The graph that add_node appends to.
  GraphId current() const { return current_; }
  /// Starts a graph nested in the current one, and makes it the current one.
  GraphId enter();
  /// Makes the parent of the current graph the current one.
  void leave();
  /// Makes an existing graph the current one, to rewrite it. Returns the previous one.
  GraphId switch_to(GraphId graph) { return std::exchange(current_, graph); }

  /// An input of the current graph.
  Value add_input(std::string_view name, const onnx::TypeProto& type);
  /// The graph to which add_constant adds a constant of this size.
  GraphId constants_go_to(uint64_t bytes) const;
  /// Adds a constant to the main graph if it is large or the opset is old, else to the current graph.
  Value add_constant(Tensor tensor, std::string_view name = {});
  /// Adds a parameter of the model: a constant of the main graph, which keeps its name.
  Value add_parameter(std::string_view name, Tensor tensor);
  /// The total size in bytes of all constants that were added.
  uint64_t constant_bytes() const { return constant_bytes_; }
  /// A value for the result of a node that add_node will add.
  Value new_value(std::string_view name_hint);
  NodeId add_node(Node node);
  /// Adds a node of ONNX's own domain with one result of this type: `result`, or a new value named after the first
  /// operand. Returns the result.
  Value append(std::string_view op, Values inputs, const Attrs& attrs, const onnx::TypeProto& type, Value result = {});
  /// Marks a value as an output of the current graph. The value belongs to this graph (see Emitter::add_output).
  void add_output(Value v) { graph(current_).outputs.push_back(v); }

  void set_type(Value v, const onnx::TypeProto& type) { at(v).shared_type = types_.share(type); }
  void set_elements(Value v, std::shared_ptr<const onnx::TensorShapeProto> elements) {
    at(v).elements = std::move(elements);
  }
  /// Gives a value a name of the program or the user (made unique). A value that already has one keeps it, unless
  /// `replace`.
  void rename(Value v, std::string_view name, bool replace = false);
  /// Replaces a constant of the main graph by the result of `node`, which is inserted first.
  void make_computed(Value v, Node node);
  /// Makes `v` result `index` of a node. The node that had this result is removed later.
  void set_result(NodeId id, size_t index, Value v);

  /// Reserves and returns `base`, or if that is used, "base_1", "base_2" ...
  std::string unique_name(std::string_view base);
  /// Sets the prefix of names for other values ("conv2d_0.tmp_0" gives "conv2d_0.tmp_0/Add"). Returns the previous one.
  std::string set_name_prefix(std::string prefix) { return std::exchange(name_prefix_, std::move(prefix)); }

  // -- queries -------------------------------------------------------------------------------------------
  /// True if nodes of graph `in` can read values of graph `from`: it is the same graph or encloses `in`.
  bool visible(GraphId from, GraphId in) const;
  /// For each value, the number of reads by nodes and outputs of all reachable graphs.
  std::vector<int32_t> use_counts() const;
  /// The element type; undefined if it is unknown or the value is not a tensor.
  Dtype dtype(Value v) const;
  /// The shape; null if the rank is unknown.
  const onnx::TensorShapeProto* shape(Value v) const;
  /// All dims, if all are known.
  std::optional<Ints> static_shape(Value v) const;
  /// A constant of at most a kilobyte as a protobuf, else null.
  const onnx::TensorProto* small_proto(Value v) const;
  /// The elements of a constant that is a list of integers; nothing if it has more than 1024.
  std::optional<Ints> constant_ints(Value v) const;
  /// The node that computes the value; null for inputs, constants and absent values.
  const Node* producer(Value v) const {
    const NodeId id = v ? (*this)[v].producer : -1;
    return id < 0 ? nullptr : &node(id);
  }

  // -- rollback ------------------------------------------------------------------------------------------
  /// A state of the model for rollback. Valid while the current graph and the graphs around it are open.
  struct Mark {
    size_t values, nodes, graphs, names, renames, keys;
    uint64_t constant_bytes;
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

  // A cache of values per graph, by a key for their computation. Rollback removes the entries added since.
  void remember(GraphId graph, std::string key, Value v);
  Value recall(GraphId graph, const std::string& key) const;

 private:
  [[noreturn]] static void refuse_absent();
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
  HashSet names_;                                     // if two names have the same hash, one of them gets a suffix
  std::unordered_map<std::string, int> next_suffix_;  // the next suffix to try for a name
  // The undo log, from the first mark on.
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

/// The type of a tensor. Without `dims`, its rank is unknown. A negative dim is unknown.
onnx::TypeProto tensor_type(Dtype dtype, const std::optional<Ints>& dims = std::nullopt);
onnx::TensorProto to_proto(const Tensor& tensor, const std::string& name);
/// Marks a tensor as stored in the file `location`.
void set_external(onnx::TensorProto* tensor, const std::string& location, uint64_t offset, uint64_t length);

}  // namespace fluid2onnx
