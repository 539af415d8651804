#include "generator/check/replacements.h"

#include <map>

#include "generator/diagnostics/text.h"

namespace opgen {
namespace {

std::vector<std::string> operands_and_attributes(const OnnxVersion& version) {
  std::vector<std::string> names = names_of(version.inputs);
  for (const auto& [name, attribute] : version.attrs) names.push_back(name);
  return names;
}

/// The types that the parameter may have, as text; "" if its type is one of them.
std::string wanted_type(const ReplacedParameter& place, const OnnxGroup& group, const Type& type) {
  if (place.attribute != nullptr) {
    const Type value = place.attribute->value_type();
    if (is_unknown(value)) return "that of a number, text or list, which this attribute is not";
    return converts(value, type) ? "" : "'" + type_name(value) + "'";
  }
  const OnnxOperand& operand = group.newest().inputs[static_cast<size_t>(place.operand)];
  if (type == list_of(Base::integer)) return "";  // constant elements
  if (operand.variadic) return type.base == Base::tensor && type.list ? "" : "'tensors'";
  if (type.base != Base::tensor || type.list) return "'tensor', or 'ints' for constant elements";
  return operand.optional && !type.optional ? "'tensor?'" : "";
}

}  // namespace

ReplacedParameter replaced_parameter(const OnnxGroup& group, const std::string& name) {
  ReplacedParameter place;
  const OnnxVersion& newest = group.newest();
  for (size_t i = 0; i < newest.inputs.size(); ++i)
    if (newest.inputs[i].name == name) place.operand = static_cast<int>(i);
  const auto attribute = newest.attrs.find(name);
  if (attribute != newest.attrs.end()) place.attribute = &attribute->second;
  return place;
}

void check_replacements(const CheckedProgram& program, const OnnxModel& onnx, Diagnostics& diagnostics) {
  std::map<std::string, const CheckedFunction*> first;
  for (const CheckedFunction& f : program.functions) {
    const Text& op = f.spec->replaces;
    if (op.text.empty()) continue;
    if (!onnx.exists(op.text)) {
      diagnostics.error("unknown-operator", op.span,
                        "ONNX has no operator '" + op.text + "'" + did_you_mean(op.text, onnx.names()));
      continue;
    }
    const auto [other, is_new] = first.emplace(op.text, &f);
    if (!is_new)
      diagnostics
          .error("duplicate-name", op.span,
                 "'" + op.text + "' is replaced by '" + other->second->head.name + "' already",
                 "make them one function")
          .notes.emplace_back(other->second->head.span, "the other one");
    if (f.head.results.size() != 1 || !(f.head.results[0].type == one(Base::tensor)))
      diagnostics.error("replacement", f.head.span, "a function that replaces nodes has one tensor as its result");
    const OnnxGroup& group = *onnx.find(op.text, 0);
    for (const Parameter& p : f.head.parameters) {
      const ReplacedParameter place = replaced_parameter(group, p.name);
      const std::vector<std::string> names = operands_and_attributes(group.newest());
      if (place.operand < 0 && place.attribute == nullptr)
        diagnostics.error(
            "unknown-name", p.span,
            "'" + op.text + "' has no operand or attribute '" + p.name + "'" + did_you_mean(p.name, names),
            "operands and attributes are " + joined(names));
      else if (const std::string wanted = wanted_type(place, group, p.type); !wanted.empty())
        diagnostics.error("replacement", p.span, "the type of '" + p.name + "' must be " + wanted);
    }
  }
}

}  // namespace opgen
