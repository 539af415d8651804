#include "runtime/onnx/read/functions.h"

#include <onnx/inliner/inliner.h>

#include <algorithm>
#include <cstdint>
#include <exception>
#include <new>
#include <string>
#include <unordered_map>
#include <utility>

#include "runtime/onnx/read/nested_graphs.h"
#include "runtime/support/error.h"
#include "runtime/support/limits.h"

namespace fluid2onnx {
namespace {

using onnx::FunctionProto;
using onnx::GraphProto;
using onnx::NodeProto;

std::string plain(const std::string& domain) { return domain == "ai.onnx" ? "" : domain; }

template <class Named>  // a function, or a node that may call one
std::string key(const Named& named, const std::string& name) {
  return plain(named.domain()) + ":" + name + ":" + named.overload();
}

/// How large the calls become. Functions may call others: a few small ones could be billions of nodes, or endless.
class Sizes {
 public:
  explicit Sizes(const OnnxFile& onnx) : path_(onnx.path) {
    for (const FunctionProto& f : onnx.model.functions()) functions_[key(f, f.name())] = &f;
  }

  struct Size {
    std::uint64_t nodes = 0;
    std::uint64_t holes = 0;  ///< of a function: places where a graph that the call brings is put
    int depth = 0;
  };

  template <class Nodes>
  Size of(const Nodes& nodes) {
    Size size;
    for (const NodeProto& node : nodes) {
      const auto called = functions_.find(key(node, node.op_type()));
      const bool is_call = called != functions_.end();
      Size own{1, 0, 0};
      if (is_call) own = of(*called->second, called->first);
      // A graph attribute of a call is inserted at each reference in the function.
      const std::uint64_t copies = is_call ? std::exchange(own.holes, 0) : 1;
      const int depth = own.depth;
      for_each_graph(node, [&](const GraphProto& graph) { add(graph, copies, depth, &own); });
      for (const auto& attribute : node.attribute()) {
        if (!attribute.ref_attr_name().empty()) own.holes += copies;
      }
      size.nodes += own.nodes;
      size.holes += own.holes;
      size.depth = std::max(size.depth, own.depth);
      check(size);
    }
    return size;
  }

 private:
  enum class State { unknown, open, known };

  /// `copies` of a graph, within graphs that are nested `depth` deep.
  void add(const GraphProto& graph, std::uint64_t copies, int depth, Size* size) {
    const Size inner = of(graph.node());
    size->nodes += inner.nodes * copies;
    size->holes += inner.holes * copies;
    size->depth = std::max(size->depth, depth + inner.depth + 1);
    check(*size);
  }

  Size of(const FunctionProto& function, const std::string& name) {
    auto& [state, size] = sizes_[name];
    if (state == State::open) {
      throw Error(E_BAD_PROGRAM, "function '" + function.name() + "' calls itself").at(path_);
    }
    if (state == State::known) return size;
    if (++open_ > limits::kCallDepth) check({limits::kInlinedNodes + 1, 0, 0});
    state = State::open;
    const Size found = of(function.node());
    --open_;
    sizes_[name] = {State::known, found};
    return found;
  }

  void check(const Size& size) const {
    if (size.nodes > limits::kInlinedNodes || size.holes > limits::kInlinedNodes) {
      throw Error(E_TOO_LARGE, "the model's functions expand to more than " + std::to_string(limits::kInlinedNodes) +
                                   " nodes, or are nested too deeply")
          .at(path_);
    }
    if (size.depth > limits::kGraphDepth) {
      throw Error(E_TOO_LARGE, "graphs are nested more than " + std::to_string(limits::kGraphDepth) + " deep")
          .at(path_);
    }
  }

  const std::string& path_;
  std::unordered_map<std::string, const FunctionProto*> functions_;
  std::unordered_map<std::string, std::pair<State, Size>> sizes_;
  int open_ = 0;
};

/// Gives each call the attributes that it leaves to the function's defaults, which the inliner does not look at.
class Defaults {
 public:
  explicit Defaults(const OnnxFile& onnx) : path_(onnx.path) {
    for (const FunctionProto& f : onnx.model.functions()) {
      if (f.attribute_proto_size() > 0) functions_[key(f, f.name())] = &f;
    }
  }

  void fill(OnnxFile* onnx) {
    if (functions_.empty()) return;
    // Of functions only nodes are changed, so that the attributes that are read stay where they are.
    for (FunctionProto& f : *onnx->model.mutable_functions()) fill(f.mutable_node());
    fill(onnx->model.mutable_graph()->mutable_node());
  }

 private:
  void fill(google::protobuf::RepeatedPtrField<NodeProto>* nodes) {
    for (NodeProto& node : *nodes) {
      const auto called = functions_.find(key(node, node.op_type()));
      if (called != functions_.end()) fill(&node, *called->second);
      for_each_graph(&node, [&](GraphProto* graph) { fill(graph->mutable_node()); });
    }
  }

  void fill(NodeProto* node, const FunctionProto& function) const {
    for (const onnx::AttributeProto& usual : function.attribute_proto()) {
      const auto given = std::find_if(node->attribute().begin(), node->attribute().end(),
                                      [&](const auto& attribute) { return attribute.name() == usual.name(); });
      if (given != node->attribute().end()) continue;
      if (usual.has_g() || usual.graphs_size() > 0) {
        throw Error(E_UNSUPPORTED, "function '" + function.name() + "' has a graph as the default of its attribute '" +
                                       usual.name() + "'")
            .at(path_)
            .hint("set the attribute in each call of the function, or inline the function first");
      }
      *node->add_attribute() = usual;
    }
  }

  const std::string& path_;
  std::unordered_map<std::string, const FunctionProto*> functions_;
};

/// Functions with another opset than the model's are kept and reported as unknown operators.
[[noreturn]] void refuse(const OnnxFile& onnx, const FunctionProto& function) {
  std::string why;
  for (const auto& import : function.opset_import()) {
    const auto model = onnx.opsets.find(plain(import.domain()));
    if (model == onnx.opsets.end() || model->second == import.version()) continue;
    why = ": it is written for opset " + std::to_string(import.version()) + ", the model for " +
          std::to_string(model->second);
  }
  throw Error(E_UNSUPPORTED, "function '" + function.name() + "' cannot be inlined" + why)
      .at(onnx.path)
      .hint("inline the model's functions with onnx.inliner first");
}

}  // namespace

void inline_functions(OnnxFile* onnx) {
  if (onnx->model.functions().empty()) return;
  Defaults(*onnx).fill(onnx);
  Sizes(*onnx).of(onnx->model.graph().node());
  try {
    onnx::inliner::InlineLocalFunctions(onnx->model);
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception& e) {
    throw Error(E_BAD_PROGRAM, std::string("the model's functions cannot be inlined: ") + e.what()).at(onnx->path);
  }
  if (!onnx->model.functions().empty()) refuse(*onnx, onnx->model.functions(0));
  for (const auto& import : onnx->model.opset_import()) {
    onnx->opsets.emplace(plain(import.domain()), static_cast<int>(import.version()));
  }
}

}  // namespace fluid2onnx
