#include "runtime/to_paddle/functions.h"

#include <onnx/defs/schema.h>

#include <algorithm>

namespace fluid2onnx {
namespace {

/// False if the operator has no body for operands of these types.
bool build_body(const onnx::OpSchema& schema, const onnx::NodeProto& node, const std::vector<onnx::TypeProto>& types,
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

int OnnxFunctions::opset_of(const std::string& domain) const {
  const auto in = [&](const auto& opsets) {
    const auto found = opsets.find(domain);
    return found == opsets.end() ? 0 : found->second;
  };
  const int own = open_.empty() ? 0 : in(open_.back());
  if (own != 0) return own;
  // Other domains than ONNX's own are not always imported; they have one version.
  return std::max(in(file_), 1);
}

const onnx::FunctionProto* OnnxFunctions::body_of(const onnx::NodeProto& node,
                                                  const std::vector<onnx::TypeProto>& types) {
  const int opset = opset_of(node.domain());
  const onnx::OpSchema* schema = onnx::OpSchemaRegistry::Schema(node.op_type(), opset, node.domain());
  if (!schema) return nullptr;
  auto body = std::make_unique<onnx::FunctionProto>();
  if (!build_body(*schema, node, types, opset, body.get())) return nullptr;
  fill_attributes(*schema, node, body.get());
  bodies_.push_back(std::move(body));
  return bodies_.back().get();
}

void OnnxFunctions::open(const onnx::FunctionProto& function) {
  OpsetsByDomain opsets;
  for (const auto& import : function.opset_import()) {
    opsets[import.domain() == "ai.onnx" ? "" : import.domain()] = static_cast<int>(import.version());
  }
  open_.push_back(std::move(opsets));
}

}  // namespace fluid2onnx
