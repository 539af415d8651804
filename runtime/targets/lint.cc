#include "runtime/targets/lint.h"

#include <algorithm>
#include <string_view>
#include <unordered_set>

#include "runtime/onnx/graph/schema_registry.h"
#include "runtime/onnx/read/nested_graphs.h"
#include "runtime/support/dtype.h"
#include "runtime/support/text.h"

namespace fluid2onnx {
namespace {

using onnx::AttributeProto;
using onnx::GraphProto;
using onnx::NodeProto;
using onnx::OpSchema;
using onnx::TypeProto;
using Kind = TargetProblem::Kind;
using Names = std::unordered_set<std::string>;
using CanBeOutput = std::function<bool(const std::string&)>;

std::string commas(std::string_view words) {
  std::string text;
  for (const char c : words) text += c == ' ' ? std::string(", ") : std::string(1, c);
  return text;
}

std::string range_text(int first, int last, int newest) {
  if (first == last) return std::to_string(first);
  if (last >= newest) return std::to_string(first) + " and later";
  return std::to_string(first) + " to " + std::to_string(last);
}

/// The values of an attribute as target files have them.
std::vector<std::string> values_of(const AttributeProto& attribute) {
  std::vector<std::string> values;
  switch (attribute.type()) {
    case AttributeProto::INT: values.push_back(std::to_string(attribute.i())); break;
    case AttributeProto::STRING: values.push_back(attribute.s()); break;
    case AttributeProto::INTS:
      for (const int64_t item : attribute.ints()) values.push_back(std::to_string(item));
      break;
    case AttributeProto::STRINGS: values.assign(attribute.strings().begin(), attribute.strings().end()); break;
    default: break;
  }
  return values;
}

/// The schema's description of operand or result `index`; null if it has none.
const OpSchema::FormalParameter* formal(const std::vector<OpSchema::FormalParameter>& list, int index) {
  const auto at = static_cast<size_t>(index);
  if (at < list.size()) return &list[at];
  return !list.empty() && list.back().GetOption() == OpSchema::Variadic ? &list.back() : nullptr;
}

bool is_static(const TypeProto* type) {
  if (type == nullptr || !type->has_tensor_type() || !type->tensor_type().has_shape()) return false;
  const auto& dims = type->tensor_type().shape().dim();
  return std::all_of(dims.begin(), dims.end(), [](const auto& dim) { return dim.has_dim_value(); });
}

/// Checks the nodes of one model against one target.
class Pass {
 public:
  Pass(const OnnxFile& onnx, const GraphTypes& types, const Target& target, const CanBeOutput& can_be_output,
       TargetReport* report)
      : onnx_(onnx), types_(types), target_(target), can_be_output_(can_be_output), report_(*report) {}

  void run() {
    report_.target = &target_;
    report_.opset = onnx_.opset();
    check_model();
    graph(onnx_.model.graph(), 0);
    find_cut();
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
          "convert with --input-shape " + input.name() + "=SIZES");
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

  const TypeProto* type(const std::string& name) const {
    for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope) {
      if (*scope == nullptr) continue;
      const auto found = (*scope)->find(name);
      if (found != (*scope)->end()) return &found->second;
    }
    return nullptr;
  }

  /// Results of nodes that every engine evaluates while it loads a model.
  void note_constant(const NodeProto& node) {
    const std::string& op = node.op_type();
    bool constant = op == "Constant";
    if (op == "Shape" || op == "Size") constant = node.input_size() == 1 && is_static(type(node.input(0)));
    if (!constant && node.input_size() > 0) {
      bool nested = false;
      for_each_graph(node, [&](const GraphProto&) { nested = true; });
      constant = !nested && std::all_of(node.input().begin(), node.input().end(), [&](const std::string& name) {
        return name.empty() || constants_.count(name) > 0;
      });
    }
    if (constant) constants_.insert(node.output().begin(), node.output().end());
  }

  // -- nodes ---------------------------------------------------------------------------------------------
  void check(const NodeProto& node, int depth) {
    if (!node.domain().empty()) {
      if (has_word(target_.domains, node.domain())) return;
      return add(Kind::domain, &node, depth, "operators of the domain '" + node.domain() + "' are not supported");
    }
    // Evaluated while the model loads, by code that is not the engine's own.
    if (node.op_type() == "Constant" || target_.is_unjudged(node.op_type())) return;
    const std::span<const TargetFact> facts = target_.facts_of(node.op_type());
    if (facts.empty()) return add(Kind::op, &node, depth, "the operator is not supported");
    const OpSchema* const schema = schema_registry().GetSchema(node.op_type(), report_.opset, "");
    std::string note;
    for (const TargetFact& fact : facts) {
      if (fact.kind == TargetFact::Kind::note) note = fact.values;
    }
    const size_t before = report_.problems.size();
    check_opsets(node, depth, facts);
    if (schema != nullptr) {
      for (const TargetFact& fact : facts) check(node, depth, *schema, fact);
    }
    for (size_t i = before; i < report_.problems.size(); ++i) {
      if (!note.empty()) report_.problems[i].hint += (report_.problems[i].hint.empty() ? "" : "; ") + note;
    }
  }

  void check_opsets(const NodeProto& node, int depth, std::span<const TargetFact> facts) {
    std::string ranges;
    for (const TargetFact& fact : facts) {
      if (fact.kind != TargetFact::Kind::opsets) continue;
      if (fact.first <= report_.opset && report_.opset <= fact.last) return;
      ranges += (ranges.empty() ? "" : ", ") + range_text(fact.first, fact.last, target_.newest_opset);
    }
    if (ranges.empty()) return;
    add(Kind::opset, &node, depth, "not supported in the form of opset " + std::to_string(report_.opset),
        "the forms of opsets " + ranges + " are supported: convert with --opset");
  }

  void check(const NodeProto& node, int depth, const OpSchema& schema, const TargetFact& fact) {
    switch (fact.kind) {
      case TargetFact::Kind::dtypes: return check_dtypes(node, depth, schema, fact);
      case TargetFact::Kind::attribute: return check_attribute(node, depth, schema, fact);
      case TargetFact::Kind::ranks: return check_ranks(node, depth, schema, fact);
      case TargetFact::Kind::constant: return check_constants(node, depth, schema, fact);
      case TargetFact::Kind::without: return check_ports(node, depth, schema, fact);
      default: return;
    }
  }

  void check_dtypes(const NodeProto& node, int depth, const OpSchema& schema, const TargetFact& fact) {
    const auto refused = [&](const OpSchema::FormalParameter* parameter, const std::string& name) {
      if (parameter == nullptr || parameter->GetTypeStr() != fact.name) return false;
      const TypeProto* const known = name.empty() ? nullptr : type(name);
      if (known == nullptr || !known->has_tensor_type()) return false;
      const std::string_view dtype = dtype_name(static_cast<Dtype>(known->tensor_type().elem_type()));
      if (dtype == "undefined" || has_word(fact.values, dtype)) return false;
      add(Kind::dtype, &node, depth, "'" + parameter->GetName() + "' in " + std::string(dtype) + " is not supported",
          fact.values.empty() ? "" : "supported: " + commas(fact.values));
      return true;
    };
    for (int i = 0; i < node.input_size(); ++i) {
      if (refused(formal(schema.inputs(), i), node.input(i))) return;
    }
    for (int i = 0; i < node.output_size(); ++i) {
      if (refused(formal(schema.outputs(), i), node.output(i))) return;
    }
  }

  void check_attribute(const NodeProto& node, int depth, const OpSchema& schema, const TargetFact& fact) {
    const std::string name(fact.name);
    std::vector<std::string> values;
    const auto given = std::find_if(node.attribute().begin(), node.attribute().end(),
                                    [&](const AttributeProto& attribute) { return attribute.name() == name; });
    const auto declared = schema.attributes().find(name);
    if (given != node.attribute().end()) values = values_of(*given);
    else if (declared != schema.attributes().end()) values = values_of(declared->second.default_value);
    for (const std::string& value : values) {
      if (has_word(fact.values, value)) continue;
      std::string hint = "supported: ";
      hint += commas(fact.values);
      return add(Kind::attribute, &node, depth, "'" + name + "' = " + value + " is not supported", std::move(hint));
    }
  }

  void check_ranks(const NodeProto& node, int depth, const OpSchema& schema, const TargetFact& fact) {
    for (int i = 0; i < node.input_size(); ++i) {
      const OpSchema::FormalParameter* const parameter = formal(schema.inputs(), i);
      if (parameter == nullptr || parameter->GetName() != fact.name || node.input(i).empty()) continue;
      const TypeProto* const known = type(node.input(i));
      if (known == nullptr || !known->has_tensor_type() || !known->tensor_type().has_shape()) continue;
      const int rank = known->tensor_type().shape().dim_size();
      if (fact.first <= rank && rank <= fact.last) continue;
      return add(Kind::rank, &node, depth,
                 "'" + parameter->GetName() + "' with rank " + std::to_string(rank) + " is not supported",
                 "supported: " + range_text(fact.first, fact.last, 31));
    }
  }

  void check_constants(const NodeProto& node, int depth, const OpSchema& schema, const TargetFact& fact) {
    for (int i = 0; i < node.input_size(); ++i) {
      const OpSchema::FormalParameter* const parameter = formal(schema.inputs(), i);
      if (parameter == nullptr || !has_word(fact.values, parameter->GetName()) || node.input(i).empty()) continue;
      if (constants_.count(node.input(i)) > 0) continue;
      return add(Kind::constant, &node, depth, "'" + parameter->GetName() + "' is not a constant",
                 "fixed input sizes (--input-shape) make many operands constant");
    }
  }

  void check_ports(const NodeProto& node, int depth, const OpSchema& schema, const TargetFact& fact) {
    const auto find = [&](const auto& names, const std::vector<OpSchema::FormalParameter>& formals, const char* what) {
      for (int i = 0; i < names.size(); ++i) {
        const OpSchema::FormalParameter* const parameter = formal(formals, i);
        if (parameter == nullptr || !has_word(fact.values, parameter->GetName()) || names[i].empty()) continue;
        add(Kind::port, &node, depth, std::string("the ") + what + " '" + parameter->GetName() + "' is not supported");
        return true;
      }
      return false;
    };
    if (!find(node.input(), schema.inputs(), "operand")) find(node.output(), schema.outputs(), "result");
  }

  // -- the cut -------------------------------------------------------------------------------------------
  void find_cut() {
    if (refused_.empty()) return;
    const GraphProto& main = onnx_.model.graph();
    Names behind;  // values that need a refused node
    for (const NodeProto& node : main.node()) {
      const std::vector<std::string> reads = reads_of(node);
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
        if (!name.empty() && behind.count(name) == 0 && constants_.count(name) == 0) frontier.insert(name);
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
  Pass(onnx_, types_, target, can_be_output, &report).run();
  return report;
}

}  // namespace fluid2onnx
