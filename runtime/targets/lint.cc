#include "runtime/targets/lint.h"

#include <algorithm>
#include <string_view>
#include <unordered_set>

#include "runtime/onnx/read/nested_graphs.h"

namespace fluid2onnx {
namespace {

using onnx::GraphProto;
using onnx::NodeProto;
using onnx::TypeProto;
using Kind = TargetProblem::Kind;
using Names = std::unordered_set<std::string>;
using CanBeOutput = std::function<bool(const std::string&)>;

bool is_static(const TypeProto* type) {
  if (type == nullptr || !type->has_tensor_type() || !type->tensor_type().has_shape()) return false;
  const auto& dims = type->tensor_type().shape().dim();
  return std::all_of(dims.begin(), dims.end(), [](const auto& dim) { return dim.has_dim_value(); });
}

/// The sizes for an input, with a batch of 1.
std::string proposed_sizes(const TypeProto::Tensor& type) {
  if (!type.has_shape()) return "SIZES";
  std::string text;
  for (int i = 0; i < type.shape().dim_size(); ++i) {
    const auto& dim = type.shape().dim(i);
    text += (i ? "," : "") + (dim.has_dim_value() ? std::to_string(dim.dim_value()) : i ? "SIZE" : "1");
  }
  return text;
}

/// Checks the nodes of one model against one target.
class TargetChecker : private NodeValues {
 public:
  TargetChecker(const OnnxFile& onnx, const GraphTypes& types, const Target& target, const CanBeOutput& can_be_output,
                TargetReport* report)
      : onnx_(onnx), types_(types), target_(target), can_be_output_(can_be_output), report_(*report) {}

  void run() {
    report_.target = &target_;
    report_.opset = onnx_.opset();
    check_model();
    graph(onnx_.model.graph(), 0);
    if (target_.fallback.empty()) find_cut();
  }

 private:
  // -- the whole model -----------------------------------------------------------------------------------
  void check_model() {
    if (report_.opset < target_.oldest_opset || report_.opset > target_.newest_opset) {
      add(Kind::model_opset, nullptr, 0,
          "the model has opset " + std::to_string(report_.opset) + ", the target reads opsets " +
              std::to_string(target_.oldest_opset) + " to " + std::to_string(target_.newest_opset),
          "convert with --opset " + std::to_string(target_.best_opset));
    }
    if (target_.dynamic) return;
    for (const auto& input : onnx_.model.graph().input()) {
      if (!input.type().has_tensor_type() || is_static(&input.type())) continue;
      add(Kind::input, nullptr, 0, "the input '" + input.name() + "' has dynamic dimensions",
          "convert with --input-shape " + input.name() + "=" + proposed_sizes(input.type().tensor_type()));
      report_.problems.back().output = input.name();
    }
  }

  void add(Kind kind, const NodeProto* node, int depth, std::string message, std::string hint = "") {
    TargetProblem problem;
    problem.kind = kind;
    if (node != nullptr) {
      problem.op = node->domain().empty() ? node->op_type() : node->domain() + "." + node->op_type();
      problem.node = node->name();
      for (const std::string& output : node->output()) {
        if (problem.output.empty()) problem.output = output;
      }
    }
    problem.depth = depth;
    problem.message = std::move(message);
    problem.hint = std::move(hint);
    report_.problems.push_back(std::move(problem));
  }

  // -- graphs --------------------------------------------------------------------------------------------
  void graph(const GraphProto& graph, int depth) {
    const auto types = types_.find(&graph);
    scopes_.push_back(types == types_.end() ? nullptr : &types->second);
    for (const auto& tensor : graph.initializer()) constants_.insert(tensor.name());
    for (const auto& tensor : graph.sparse_initializer()) constants_.insert(tensor.values().name());
    for (const NodeProto& node : graph.node()) {
      ++report_.nodes;
      const size_t before = report_.problems.size();
      note_constant(node);
      check(node, depth);
      const bool runs = report_.problems.size() == before;
      for_each_graph(node, [&](const GraphProto& inner) {
        // The nodes of a refused loop do not matter.
        if (runs) this->graph(inner, depth + 1);
      });
      if (depth == 0 && report_.problems.size() > before) refused_.insert(&node);
    }
    scopes_.pop_back();
  }

  const TypeProto* operand_type(const NodeProto& node, int i) const override { return type(node.input(i)); }
  const TypeProto* result_type(const NodeProto& node, int i) const override { return type(node.output(i)); }
  bool is_constant(const NodeProto& node, int i) const override { return is_constant(node.input(i)); }

  const TypeProto* type(const std::string& name) const {
    for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope) {
      if (*scope == nullptr) continue;
      const auto found = (*scope)->find(name);
      if (found != (*scope)->end()) return &found->second;
    }
    return nullptr;
  }

  bool is_constant(const std::string& name) const { return constants_.count(name) > 0; }

  /// Results of nodes that every engine evaluates while it loads a model.
  void note_constant(const NodeProto& node) {
    const std::string& op = node.op_type();
    bool constant = op == "Constant";
    if (op == "Shape" || op == "Size") constant = node.input_size() == 1 && is_static(type(node.input(0)));
    if (!constant && node.input_size() > 0) {
      bool nested = false;
      for_each_graph(node, [&](const GraphProto&) { nested = true; });
      constant = !nested && std::all_of(node.input().begin(), node.input().end(),
                                        [&](const std::string& name) { return name.empty() || is_constant(name); });
    }
    if (constant) constants_.insert(node.output().begin(), node.output().end());
  }

  // -- nodes ---------------------------------------------------------------------------------------------
  void check(const NodeProto& node, int depth) {
    check_node(target_, report_.opset, node, *this, [&](Kind kind, std::string message, std::string hint) {
      add(kind, &node, depth, std::move(message), std::move(hint));
    });
  }

  // -- the cut -------------------------------------------------------------------------------------------
  void find_cut() {
    if (refused_.empty()) return;
    const GraphProto& main = onnx_.model.graph();
    Names behind;  // values that need a refused node
    for (const NodeProto& node : main.node()) {
      const std::vector<std::string> reads = reads_of(node);
      if (std::any_of(node.attribute().begin(), node.attribute().end(), [](const auto& a) { return a.has_g(); })) {
        const Names operands(node.input().begin(), node.input().end());
        report_.captures = report_.captures || std::any_of(reads.begin(), reads.end(),
                                                           [&](const auto& name) { return operands.count(name) == 0; });
      }
      if (refused_.count(&node) == 0 &&
          std::none_of(reads.begin(), reads.end(), [&](const auto& name) { return behind.count(name) > 0; }))
        continue;
      behind.insert(node.output().begin(), node.output().end());
    }
    behind.erase("");
    // The node of a value that cannot be an output is cut off, too.
    Names wanted;
    for (const auto& output : main.output()) wanted.insert(output.name());
    Names frontier;
    const auto& nodes = main.node();
    for (auto node = nodes.rbegin(); node != nodes.rend(); ++node) {
      const auto is_cut = [&](const std::string& name) { return behind.count(name) > 0; };
      const auto needed = [&](const std::string& name) { return frontier.count(name) > 0; };
      const bool unnamed = std::any_of(node->output().begin(), node->output().end(), [&](const std::string& name) {
        return needed(name) && !can_be_output_(name) && wanted.count(name) == 0;
      });
      if (!unnamed && std::none_of(node->output().begin(), node->output().end(), is_cut)) continue;
      for (const std::string& name : node->output()) {
        frontier.erase(name);
        behind.insert(name);
      }
      for (const std::string& name : reads_of(*node)) {
        if (!name.empty() && behind.count(name) == 0 && !is_constant(name)) frontier.insert(name);
      }
    }
    for (const auto& output : main.output()) {
      if (behind.count(output.name()) == 0) frontier.insert(output.name());
    }
    for (const NodeProto& node : nodes) {
      for (const std::string& name : node.output()) {
        if (frontier.count(name) > 0) report_.cut.push_back(name);
      }
    }
    Names needed(report_.cut.begin(), report_.cut.end());
    for (auto node = nodes.rbegin(); node != nodes.rend(); ++node) {
      const auto is_needed = [&](const std::string& name) { return needed.count(name) > 0; };
      if (std::none_of(node->output().begin(), node->output().end(), is_needed)) continue;
      ++report_.cut_nodes;
      for (const std::string& name : reads_of(*node)) needed.insert(name);
    }
  }

  const OnnxFile& onnx_;
  const GraphTypes& types_;
  const Target& target_;
  const CanBeOutput& can_be_output_;
  TargetReport& report_;
  std::vector<const TypesByName*> scopes_;
  Names constants_;
  std::unordered_set<const NodeProto*> refused_;
};

}  // namespace

const char* kind_name(TargetProblem::Kind kind) {
  switch (kind) {
    case Kind::model_opset: return "model";
    case Kind::input: return "input";
    case Kind::domain: return "domain";
    case Kind::op: return "operator";
    case Kind::opset: return "opset";
    case Kind::dtype: return "dtype";
    case Kind::attribute: return "attribute";
    case Kind::rank: return "rank";
    case Kind::constant: return "constant";
    case Kind::port: return "port";
  }
  return "";
}

TargetLint::TargetLint(const OnnxFile& onnx) : onnx_(onnx), types_(infer_types(onnx)) {}

TargetReport TargetLint::check(const Target& target, const CanBeOutput& can_be_output) const {
  TargetReport report;
  TargetChecker(onnx_, types_, target, can_be_output, &report).run();
  return report;
}

}  // namespace fluid2onnx
