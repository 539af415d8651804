// OnnxWalker: operators without a converter of their own that ONNX's schemas define by other operators.
#include <onnx/defs/schema.h>

#include <algorithm>

#include "runtime/support/refused.h"
#include "runtime/to_paddle/walker.h"

namespace fluid2onnx {
namespace {

/// The operator's body for operands of these types; false if it has none.
bool body_of(const onnx::OpSchema& schema, const onnx::NodeProto& node, const std::vector<onnx::TypeProto>& types,
             int opset, onnx::FunctionProto* body) {
  if (schema.HasContextDependentFunction()) {
    const onnx::FunctionBodyBuildContextImpl context(node, types);
    if (schema.BuildContextDependentFunction(context, *body, opset)) return true;
    if (schema.BuildContextDependentFunction(context, *body)) return true;
  }
  const onnx::FunctionProto* plain = schema.HasFunction() ? schema.GetFunction(opset) : nullptr;
  if (!plain && schema.HasFunction()) plain = schema.GetFunction();
  if (plain) *body = *plain;
  return plain != nullptr;
}

/// Puts the call's attributes, or the schema's defaults, in the places of the body's references to them.
void fill_attributes(const onnx::OpSchema& schema, const onnx::NodeProto& call, onnx::FunctionProto* body) {
  const auto given = [&](const std::string& name) -> const onnx::AttributeProto* {
    for (const auto& attribute : call.attribute()) {
      if (attribute.name() == name) return &attribute;
    }
    const auto known = schema.attributes().find(name);
    if (known == schema.attributes().end() || known->second.default_value.type() == onnx::AttributeProto::UNDEFINED) {
      return nullptr;
    }
    return &known->second.default_value;
  };
  for (onnx::NodeProto& node : *body->mutable_node()) {
    for (int i = node.attribute_size() - 1; i >= 0; --i) {
      onnx::AttributeProto* attribute = node.mutable_attribute(i);
      if (attribute->ref_attr_name().empty()) continue;
      const std::string name = attribute->name();
      if (const auto* value = given(attribute->ref_attr_name())) {
        *attribute = *value;
        attribute->set_name(name);
      } else {
        node.mutable_attribute()->DeleteSubrange(i, 1);
      }
    }
  }
}

}  // namespace

int OnnxWalker::opset_of(const std::string& domain) const {
  const auto in = [&](const auto& opsets) {
    const auto found = opsets.find(domain);
    return found == opsets.end() ? 0 : found->second;
  };
  const int own = opsets_.empty() ? 0 : in(opsets_.back());
  if (own != 0) return own;
  // Other domains than ONNX's own are not always imported; they have one version.
  return std::max(in(onnx_.opsets), 1);
}

std::optional<Values> OnnxWalker::run_function(const onnx::NodeProto& node, const Values& inputs) {
  const int opset = opset_of(node.domain());
  const onnx::OpSchema* schema = onnx::OpSchemaRegistry::Schema(node.op_type(), opset, node.domain());
  if (!schema) return std::nullopt;
  std::vector<onnx::TypeProto> types;
  for (const Value v : inputs) types.push_back(v ? builder_.model()[v].type() : onnx::TypeProto());
  auto body = std::make_unique<onnx::FunctionProto>();
  if (!body_of(*schema, node, types, opset, body.get())) return std::nullopt;
  fill_attributes(*schema, node, body.get());
  functions_.push_back(std::move(body));
  const onnx::FunctionProto& function = *functions_.back();

  // As a graph, so that it is walked like any other.
  static const onnx::GraphProto empty;
  Scope scope;
  levels_.push_back({&empty, &scope, {}, {}});
  for (int i = 0; i < function.input_size() && static_cast<size_t>(i) < inputs.size(); ++i) {
    put(&scope, function.input(i), inputs[static_cast<size_t>(i)]);
  }
  for (int i = static_cast<int>(inputs.size()); i < function.input_size(); ++i) scope[function.input(i)] = Value();
  std::map<std::string, int, std::less<>> opsets;
  for (const auto& import : function.opset_import()) {
    opsets[import.domain() == "ai.onnx" ? "" : import.domain()] = static_cast<int>(import.version());
  }
  const size_t problems = problems_.size();
  opsets_.push_back(std::move(opsets));
  for (int i = 0; i < function.node_size(); ++i) convert(empty, function.node(i), i, &scope);
  Values outputs;
  for (int i = 0; i < node.output_size() && i < function.output_size(); ++i) {
    outputs.push_back(node.output(i).empty() ? Value() : resolve(function.output(i)));
  }
  levels_.pop_back();
  opsets_.pop_back();
  if (problems_.size() > problems) {
    // Reported for the operator in the file.
    const Problem first = problems_[problems];
    problems_.resize(problems);
    throw Refused(first.code,
                  "'" + first.op_type + "' in the function body of '" + node.op_type() + "': " + first.message);
  }
  return outputs;
}

}  // namespace fluid2onnx
