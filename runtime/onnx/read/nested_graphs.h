// Graphs within nodes: the branches of If, the bodies of Loop and Scan.
#pragma once

#include <onnx/onnx_pb.h>

#include <string>
#include <unordered_set>
#include <vector>

namespace fluid2onnx {

/// Calls f(const GraphProto&) with each graph that the node itself has.
template <class F>
void for_each_graph(const onnx::NodeProto& node, F f) {
  for (const auto& attribute : node.attribute()) {
    if (attribute.has_g()) f(attribute.g());
    for (const auto& graph : attribute.graphs()) f(graph);
  }
}

/// The same with f(GraphProto*).
template <class F>
void for_each_graph(onnx::NodeProto* node, F f) {
  for (auto& attribute : *node->mutable_attribute()) {
    if (attribute.has_g()) f(attribute.mutable_g());
    for (auto& graph : *attribute.mutable_graphs()) f(&graph);
  }
}

/// The names to which a graph gives values by itself: inputs, initializers, results of nodes.
std::unordered_set<std::string> given_by(const onnx::GraphProto& graph);

/// What a node reads, in order: its operands, then what its graphs read from outside. A name may occur twice.
std::vector<std::string> reads_of(const onnx::NodeProto& node);

}  // namespace fluid2onnx
