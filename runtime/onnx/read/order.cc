#include "runtime/onnx/read/order.h"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <numeric>
#include <queue>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "runtime/onnx/read/nested_graphs.h"
#include "runtime/onnx/read/repeated.h"
#include "runtime/support/error.h"
#include "runtime/support/limits.h"
#include "runtime/support/text.h"

namespace fluid2onnx {
namespace {

using onnx::GraphProto;
using onnx::NodeProto;

using Names = std::unordered_set<std::string>;

std::string title(const NodeProto& node) {
  return "node " + (node.name().empty() ? "" : "'" + node.name() + "' ") + node.op_type();
}

class Orderer {
 public:
  explicit Orderer(OnnxFile* onnx) : onnx_(*onnx) {}

  void run() {
    GraphProto* main = onnx_.model.mutable_graph();
    for (const std::string& name : order(main)) {
      const auto reader = std::find_if(main->node().begin(), main->node().end(), [&](const NodeProto& node) {
        return std::find(node.input().begin(), node.input().end(), name) != node.input().end();
      });
      throw bad(reader == main->node().end() ? "'" + name + "' has no producer"
                                             : title(*reader) + " reads '" + name + "', which has no producer");
    }
  }

 private:
  Error bad(const std::string& message) const {
    return Error(E_BAD_PROGRAM, message).at(onnx_.path).hint("the model is invalid; export it again");
  }

  /// Messages repeat names.
  void check_name(const std::string& name) const {
    if (name.size() <= limits::kNameBytes) return;
    throw bad("a name has " + std::to_string(name.size()) + " bytes, expected at most " +
              std::to_string(limits::kNameBytes));
  }

  /// Where each name of a graph comes from: a node, or -1.
  using Givers = std::unordered_map<std::string_view, int>;

  void give(const std::string& name, int node, Givers* givers) const {
    check_name(name);
    if (!givers->emplace(name, node).second) throw bad("'" + name + "' is defined twice");
  }

  Givers givers_of(const GraphProto& graph) const {
    Givers givers;
    for (const auto& input : graph.input()) give(input.name(), -1, &givers);
    for (const auto& tensor : graph.initializer()) give(tensor.name(), -1, &givers);
    for (const auto& tensor : graph.sparse_initializer()) give(tensor.values().name(), -1, &givers);
    for (int i = 0; i < graph.node_size(); ++i) {
      for (const auto& name : graph.node(i).output()) {
        if (!name.empty()) give(name, i, &givers);
      }
    }
    return givers;
  }

  /// An initializer is the value of an input that it shares its name with.
  void drop_given_inputs(GraphProto* graph) {
    Names given;
    for (const auto& tensor : graph->initializer()) given.insert(tensor.name());
    for (const auto& tensor : graph->sparse_initializer()) given.insert(tensor.values().name());
    if (given.empty()) return;
    std::vector<std::string> dropped;
    keep_only(graph->mutable_input(), [&](const onnx::ValueInfoProto& input) {
      if (!given.count(input.name())) return true;
      dropped.push_back(input.name());
      return false;
    });
    constexpr int kInitializersAreNoInputs = 4;
    if (dropped.empty() || onnx_.model.ir_version() < kInitializersAreNoInputs || graph != &onnx_.model.graph()) return;
    onnx_.warnings.push_back(count_of(dropped.size(), "input") + " with a default value (" + listed(dropped) +
                             ") are converted to constants");
  }

  /// Puts the node's graphs in order; what it reads, including what they read from outside.
  Names order_within(NodeProto* node) {
    Names names;
    for (const auto& name : node->input()) {
      if (!name.empty()) names.insert(name);
    }
    for_each_graph(node, [&](GraphProto* graph) { names.merge(order(graph)); });
    return names;
  }

  /// Puts the graph's nodes in order, and returns which names it reads from outside.
  Names order(GraphProto* graph) {
    drop_given_inputs(graph);
    const Givers givers = givers_of(*graph);
    Names outside;
    std::vector<std::vector<int>> before(static_cast<std::size_t>(graph->node_size()));
    bool sorted = true;
    for (int i = 0; i < graph->node_size(); ++i) {
      NodeProto* node = graph->mutable_node(i);
      if (node->domain() == "ai.onnx") node->clear_domain();
      check_name(node->op_type());
      if (static_cast<std::size_t>(node->input_size()) > limits::kOperands) {
        throw bad(title(*node) + " has " + std::to_string(node->input_size()) + " inputs, expected at most " +
                  std::to_string(limits::kOperands));
      }
      for (const auto& name : order_within(node)) {
        const auto giver = givers.find(name);
        if (giver == givers.end()) {
          outside.insert(name);
        } else if (giver->second >= 0) {
          before[static_cast<std::size_t>(i)].push_back(giver->second);
          sorted = sorted && giver->second < i;
        }
      }
    }
    for (const auto& output : graph->output()) {
      if (!givers.count(output.name())) outside.insert(output.name());
    }
    if (!sorted) sort(graph, before);
    return outside;
  }

  /// As they were, but for those that come too early.
  void sort(GraphProto* graph, const std::vector<std::vector<int>>& before) const {
    const std::size_t count = before.size();
    std::vector<std::vector<int>> after(count);
    std::vector<std::size_t> missing(count);
    std::priority_queue<int, std::vector<int>, std::greater<>> ready;
    for (std::size_t i = 0; i < count; ++i) {
      missing[i] = before[i].size();
      for (const int giver : before[i]) after[static_cast<std::size_t>(giver)].push_back(static_cast<int>(i));
      if (before[i].empty()) ready.push(static_cast<int>(i));
    }
    google::protobuf::RepeatedPtrField<NodeProto> nodes;
    while (!ready.empty()) {
      const int i = ready.top();
      ready.pop();
      nodes.Add()->Swap(graph->mutable_node(i));
      missing[static_cast<std::size_t>(i)] = count + 1;  // done
      for (const int reader : after[static_cast<std::size_t>(i)]) {
        if (--missing[static_cast<std::size_t>(reader)] == 0) ready.push(reader);
      }
    }
    if (nodes.size() < graph->node_size()) {
      const auto waiting = std::find_if(missing.begin(), missing.end(), [&](std::size_t n) { return n <= count; });
      throw bad("the nodes form a cycle, to which " + title(graph->node(static_cast<int>(waiting - missing.begin()))) +
                " belongs or leads");
    }
    graph->mutable_node()->Swap(&nodes);
  }

  OnnxFile& onnx_;
};

}  // namespace

void put_in_order(OnnxFile* onnx) { Orderer(onnx).run(); }

}  // namespace fluid2onnx
