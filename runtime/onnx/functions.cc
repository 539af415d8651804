#include "runtime/onnx/functions.h"

#include <onnx/inliner/inliner.h>

#include <algorithm>
#include <cstdint>
#include <exception>
#include <new>
#include <unordered_map>

#include "runtime/support/error.h"

namespace fluid2onnx {
namespace {

using onnx::FunctionProto;
using onnx::NodeProto;

constexpr std::uint64_t kMostNodes = 5'000'000;

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
    int depth = 0;
  };

  template <class Nodes>
  Size of(const Nodes& nodes) {
    Size size;
    for (const NodeProto& node : nodes) {
      const auto called = functions_.find(key(node, node.op_type()));
      Size own{1, 0};
      if (called != functions_.end()) own = of(*called->second, called->first);
      for (const auto& attribute : node.attribute()) {
        add(attribute.g(), &own);
        for (const auto& graph : attribute.graphs()) add(graph, &own);
      }
      size.nodes += own.nodes;
      size.depth = std::max(size.depth, own.depth);
      check(size);
    }
    return size;
  }

 private:
  enum class State { unknown, open, known };

  void add(const onnx::GraphProto& graph, Size* size) {
    const Size inner = of(graph.node());
    size->nodes += inner.nodes;
    size->depth = std::max(size->depth, inner.depth + 1);
  }

  Size of(const FunctionProto& function, const std::string& name) {
    auto& [state, size] = sizes_[name];
    if (state == State::open) {
      throw Error(E_BAD_PROGRAM, "function '" + function.name() + "' calls itself").at(path_);
    }
    if (state == State::known) return size;
    if (++open_ > kMostCalls) check({kMostNodes + 1, 0});
    state = State::open;
    const Size found = of(function.node());
    --open_;
    sizes_[name] = {State::known, found};
    return found;
  }

  void check(const Size& size) const {
    if (size.nodes > kMostNodes) {
      throw Error(E_TOO_LARGE, "the model's functions make more than " + std::to_string(kMostNodes) +
                                   " nodes, or call each other too deeply")
          .at(path_);
    }
    if (size.depth > kMaxGraphDepth) {
      throw Error(E_TOO_LARGE, "graphs are nested more than " + std::to_string(kMaxGraphDepth) + " deep").at(path_);
    }
  }

  static constexpr int kMostCalls = 200;  // of functions within functions

  const std::string& path_;
  std::unordered_map<std::string, const FunctionProto*> functions_;
  std::unordered_map<std::string, std::pair<State, Size>> sizes_;
  int open_ = 0;
};

/// Functions whose opset is not the model's stay, and nobody knows them.
[[noreturn]] void refuse(const OnnxFile& onnx, const FunctionProto& function) {
  std::string why;
  for (const auto& import : function.opset_import()) {
    const auto model = onnx.opsets.find(plain(import.domain()));
    if (model == onnx.opsets.end() || model->second == import.version()) continue;
    why = ": it is written for opset " + std::to_string(import.version()) + ", the model for " +
          std::to_string(model->second);
  }
  throw Error(E_UNSUPPORTED, "function '" + function.name() + "' cannot be put in place of its calls" + why)
      .at(onnx.path)
      .hint("inline the model's functions with onnx.inliner before");
}

}  // namespace

void inline_functions(OnnxFile* onnx) {
  if (onnx->model.functions().empty()) return;
  Sizes(*onnx).of(onnx->model.graph().node());
  try {
    onnx::inliner::InlineLocalFunctions(onnx->model);
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception& e) {
    throw Error(E_BAD_PROGRAM, std::string("the model's functions cannot be put in place of their calls: ") + e.what())
        .at(onnx->path);
  }
  if (!onnx->model.functions().empty()) refuse(*onnx, onnx->model.functions(0));
  for (const auto& import : onnx->model.opset_import()) {
    onnx->opsets.emplace(plain(import.domain()), static_cast<int>(import.version()));
  }
}

}  // namespace fluid2onnx
