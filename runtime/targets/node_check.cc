#include "runtime/targets/node_check.h"

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "runtime/onnx/graph/schema.h"

namespace fluid2onnx {
namespace {

using onnx::AttributeProto;
using onnx::NodeProto;
using onnx::TypeProto;
using Kind = TargetProblemKind;

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

/// True if one of the ranges that limit the operator's opsets, if any, contains the opset.
bool has_opset(std::span<const TargetFact> facts, int opset) {
  bool limited = false;
  for (const TargetFact& fact : facts) {
    if (fact.kind != TargetFact::Kind::opsets) continue;
    if (fact.first <= opset && opset <= fact.last) return true;
    limited = true;
  }
  return !limited;
}

/// Checks one node against the facts of its operator.
class NodeRules {
 public:
  NodeRules(const Target& target, int opset, const NodeValues& values, const RefuseNode& refuse)
      : target_(target), opset_(opset), values_(values), refuse_(refuse) {}

  void run(const NodeProto& node) {
    if (!node.domain().empty()) {
      if (has_word(target_.domains, node.domain())) return;
      return refuse(Kind::domain, "operators of the domain '" + node.domain() + "' are not supported");
    }
    // Evaluated while the model loads, by code that is not the engine's own.
    if (node.op_type() == "Constant" || target_.is_unjudged(node.op_type())) return;
    const std::span<const TargetFact> facts = target_.facts_of(node.op_type());
    if (facts.empty()) return refuse(Kind::op, "the operator is not supported");
    for (const TargetFact& fact : facts) {
      if (fact.kind == TargetFact::Kind::note) note_ = fact.values;
    }
    check_opsets(facts);
    const Schema* const schema = find_schema(node.op_type(), opset_);
    if (schema == nullptr) return;
    for (const TargetFact& fact : facts) check(node, *schema, fact);
  }

 private:
  void refuse(Kind kind, std::string message, std::string hint = "") {
    if (!note_.empty()) hint += (hint.empty() ? "" : "; ") + note_;
    refuse_(kind, std::move(message), std::move(hint));
  }

  void check_opsets(std::span<const TargetFact> facts) {
    if (has_opset(facts, opset_)) return;
    std::string ranges;
    for (const TargetFact& fact : facts) {
      if (fact.kind != TargetFact::Kind::opsets) continue;
      ranges += (ranges.empty() ? "" : ", ") + range_text(fact.first, fact.last, target_.newest_opset);
    }
    refuse(Kind::opset, "not supported in the form of opset " + std::to_string(opset_),
           "the forms of opsets " + ranges + " are supported: convert with --opset");
  }

  void check(const NodeProto& node, const Schema& schema, const TargetFact& fact) {
    switch (fact.kind) {
      case TargetFact::Kind::dtypes: return check_dtypes(node, schema, fact);
      case TargetFact::Kind::attribute: return check_attribute(node, schema, fact);
      case TargetFact::Kind::ranks: return check_ranks(node, schema, fact);
      case TargetFact::Kind::constant: return check_constants(node, schema, fact);
      case TargetFact::Kind::without: return check_ports(node, schema, fact);
      default: return;
    }
  }

  void check_dtypes(const NodeProto& node, const Schema& schema, const TargetFact& fact) {
    const auto refused = [&](const SchemaParam* param, const TypeProto* type) {
      if (!param || param->variable < 0 || schema.variables[static_cast<size_t>(param->variable)] != fact.name ||
          !type || !type->has_tensor_type()) {
        return false;
      }
      const std::string_view dtype = dtype_name(static_cast<Dtype>(type->tensor_type().elem_type()));
      if (dtype == "undefined" || has_word(fact.values, dtype)) return false;
      refuse(Kind::dtype, "'" + param->name + "' in " + std::string(dtype) + " is not supported",
             fact.values.empty() ? "" : "supported: " + commas(fact.values));
      return true;
    };
    for (int i = 0; i < node.input_size(); ++i) {
      if (refused(schema.input(static_cast<size_t>(i)), operand_type(node, i))) return;
    }
    for (int i = 0; i < node.output_size(); ++i) {
      if (refused(schema.output(static_cast<size_t>(i)), values_.result_type(node, i))) return;
    }
  }

  void check_attribute(const NodeProto& node, const Schema& schema, const TargetFact& fact) {
    const std::string name(fact.name);
    std::vector<std::string> found;
    const auto given = std::find_if(node.attribute().begin(), node.attribute().end(),
                                    [&](const AttributeProto& attribute) { return attribute.name() == name; });
    const auto declared = schema.onnx->attributes().find(name);
    if (given != node.attribute().end()) found = values_of(*given);
    else if (declared != schema.onnx->attributes().end()) found = values_of(declared->second.default_value);
    for (const std::string& value : found) {
      if (has_word(fact.values, value)) continue;
      std::string hint = "supported: ";
      hint += commas(fact.values);
      return refuse(Kind::attribute, "'" + name + "' = " + value + " is not supported", std::move(hint));
    }
  }

  void check_ranks(const NodeProto& node, const Schema& schema, const TargetFact& fact) {
    for (int i = 0; i < node.input_size(); ++i) {
      const SchemaParam* const param = schema.input(static_cast<size_t>(i));
      const TypeProto* const type = operand_type(node, i);
      if (!param || param->name != fact.name || !type || !type->tensor_type().has_shape()) continue;
      const int rank = type->tensor_type().shape().dim_size();
      if (fact.first <= rank && rank <= fact.last) continue;
      return refuse(Kind::rank, "'" + param->name + "' with rank " + std::to_string(rank) + " is not supported",
                    "supported: " + range_text(fact.first, fact.last, 31));
    }
  }

  void check_constants(const NodeProto& node, const Schema& schema, const TargetFact& fact) {
    for (int i = 0; i < node.input_size(); ++i) {
      const SchemaParam* const param = schema.input(static_cast<size_t>(i));
      if (!param || !has_word(fact.values, param->name) || node.input(i).empty()) continue;
      if (values_.is_constant(node, i)) continue;
      return refuse(Kind::constant, "'" + param->name + "' is not a constant",
                    "fixed input sizes (--input-shape) make many operands constant");
    }
  }

  void check_ports(const NodeProto& node, const Schema& schema, const TargetFact& fact) {
    const auto find = [&](const SchemaParam* param, const std::string& name, const char* what) {
      if (!param || !has_word(fact.values, param->name) || name.empty()) return false;
      refuse(Kind::port, std::string("the ") + what + " '" + param->name + "' is not supported");
      return true;
    };
    for (int i = 0; i < node.input_size(); ++i) {
      if (find(schema.input(static_cast<size_t>(i)), node.input(i), "operand")) return;
    }
    for (int i = 0; i < node.output_size(); ++i) {
      if (find(schema.output(static_cast<size_t>(i)), node.output(i), "result")) return;
    }
  }

  const TypeProto* operand_type(const NodeProto& node, int i) const {
    return node.input(i).empty() ? nullptr : values_.operand_type(node, i);
  }

  const Target& target_;
  int opset_;
  const NodeValues& values_;
  const RefuseNode& refuse_;
  std::string note_;  ///< advice of the facts
};

}  // namespace

void check_node(const Target& target, int opset, const NodeProto& node, const NodeValues& values,
                const RefuseNode& refuse) {
  NodeRules(target, opset, values, refuse).run(node);
}

bool has_operator(const Target& target, int opset, std::string_view op, Dtype dtype) {
  const Schema* const schema = find_schema(op, opset);
  if (schema == nullptr) return false;
  if (target.is_unjudged(op)) return true;
  const std::span<const TargetFact> facts = target.facts_of(op);
  if (facts.empty() || !has_opset(facts, opset)) return false;
  if (dtype == Dtype::undefined || schema->inputs.empty() || schema->inputs[0].variable < 0) return true;
  const std::string& variable = schema->variables[static_cast<size_t>(schema->inputs[0].variable)];
  return std::none_of(facts.begin(), facts.end(), [&](const TargetFact& fact) {
    return fact.kind == TargetFact::Kind::dtypes && fact.name == variable && !has_word(fact.values, dtype_name(dtype));
  });
}

}  // namespace fluid2onnx
