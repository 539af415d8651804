#include "runtime/to_onnx/target_choice.h"

#include <algorithm>

#include "runtime/convert/replacements.h"
#include "runtime/onnx/graph/attributes.h"
#include "runtime/onnx/graph/schema.h"
#include "runtime/targets/node_check.h"

namespace fluid2onnx {
namespace {

/// The operands of a node that was not emitted. Its results are unknown.
class GivenOperands : public NodeValues {
 public:
  GivenOperands(const Model& model, const Values& values) : model_(model), values_(values) {}

  const onnx::TypeProto* operand_type(const onnx::NodeProto&, int i) const override { return &info(i).type(); }
  const onnx::TypeProto* result_type(const onnx::NodeProto&, int) const override { return nullptr; }
  bool is_constant(const onnx::NodeProto&, int i) const override { return info(i).constant != nullptr; }

 private:
  const ValueInfo& info(int i) const { return model_[values_[static_cast<size_t>(i)]]; }

  const Model& model_;
  const Values& values_;
};

/// True if the function takes all operands and attributes that the node has.
bool takes_all(const Replacement& replacement, const Model& model, const Schema& schema, const Values& operands,
               const Attrs& attrs) {
  for (size_t i = 0; i < operands.size(); ++i) {
    if (!operands[i]) continue;
    const SchemaParam* const param = schema.input(i);
    if (!param || !has_word(replacement.parameters, param->name)) return false;
    if (!model[operands[i]].constant && has_word(replacement.constants, std::to_string(i))) return false;
  }
  return std::all_of(attrs.begin(), attrs.end(),
                     [&](const Attr& attr) { return has_word(replacement.parameters, attr.name); });
}

bool refuses(const Target& target, const Model& model, const Schema& schema, const Values& operands,
             const Attrs& attrs) {
  onnx::NodeProto node;
  node.set_op_type(schema.onnx->Name());
  for (const Value v : operands) node.add_input(v ? model[v].name : "");
  for (onnx::AttributeProto& attribute : to_protos(attrs, &schema)) *node.add_attribute() = std::move(attribute);
  bool refused = false;
  check_node(target, model.opset(), node, GivenOperands(model, operands),
             [&](TargetProblemKind, const std::string&, const std::string&) { refused = true; });
  return refused;
}

}  // namespace

bool TargetChoice::has(std::string_view op, int opset, Dtype dtype) const {
  return target_ == nullptr || has_operator(*target_, opset, op, dtype);
}

bool TargetChoice::replace(OpContext& op, const Model& model, std::string_view node, const Values& operands,
                           const Attrs& attrs, Values* results) {
  if (target_ == nullptr || open_.count(node) != 0) return false;
  const Replacement* const replacement = find_replacement(node);
  if (replacement == nullptr || model.opset() < replacement->since) return false;
  const Schema* const schema = find_schema(node, model.opset());
  if (schema == nullptr || !takes_all(*replacement, model, *schema, operands, attrs)) return false;
  if (!refuses(*target_, model, *schema, operands, attrs)) return false;
  const auto open = open_.emplace(node).first;
  struct Close {
    std::set<std::string, std::less<>>& set;
    std::set<std::string, std::less<>>::iterator at;
    ~Close() { set.erase(at); }
  } const close{open_, open};
  *results = {replacement->replace({op, operands, attrs})};
  return true;
}

}  // namespace fluid2onnx
