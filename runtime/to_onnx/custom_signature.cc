#include "runtime/to_onnx/custom_signature.h"

#include <algorithm>
#include <vector>

#include "runtime/paddle/program/attribute_text.h"
#include "runtime/paddle/program/numbered_slots.h"
#include "runtime/support/has_item.h"
#include "runtime/support/refused.h"
#include "runtime/support/text.h"

namespace fluid2onnx {
namespace {

using Names = std::vector<std::string>;

/// Slots that hold something. `wanted`: of the variables in it, those that count; null: all.
Names filled(const std::vector<Slot>& slots, const SortedNames* wanted = nullptr) {
  Names names;
  for (const Slot& slot : slots) {
    const auto counts = [&](const std::string& name) { return !name.empty() && (!wanted || wanted->contains(name)); };
    if (std::any_of(slot.args.begin(), slot.args.end(), counts)) names.push_back(slot.name);
  }
  return names;
}

Names attributes(const Op& op, const CustomSignature& signature) {
  Names names;
  for (const Attribute& a : op.attrs)
    if (!has_item(signature.ignored, a.name) || has_item(signature.attrs, a.name)) names.push_back(a.name);
  return names;
}

Names less(const Names& all, const Names& known) {
  Names rest;
  for (const std::string& name : all)
    if (!has_item(known, name)) rest.push_back(name);
  return rest;
}

/// One kind of what operators have.
class Comparison {
 public:
  /// `wanted`: what the operator must have; `all`: everything that it has, whether it counts or not.
  void compare(const char* noun, const Names& has, const Names& all, const Names& declared, const Names& wanted) {
    const Names passed_over = less(has, declared), absent = less(wanted, all);
    if (!passed_over.empty()) in_model_ += (in_model_.empty() ? "" : ", and ") + named(noun, passed_over);
    // An absent optional part is reported if the operator has an unknown name.
    const Names& only_declared = passed_over.empty() ? absent : less(declared, all);
    if (!only_declared.empty()) in_spec_ += (in_spec_.empty() ? "" : ", and ") + named(noun, only_declared);
  }

  /// "" if nothing is wrong.
  std::string text() const {
    std::string text;
    if (!in_model_.empty()) text = "the spec does not declare " + in_model_ + " of the operator";
    if (in_spec_.empty()) return text;
    return text + (text.empty() ? "the spec declares " : ", but declares ") + in_spec_ +
           ", which the operator does not have";
  }

 private:
  static std::string named(const std::string& noun, const Names& names) {
    return noun + (names.size() > 1 ? "s " : " ") + listed(names);
  }

  std::string in_model_, in_spec_;
};

std::string form_of(const Op& op, const CustomSignature& signature) {
  std::string attrs;
  for (const Attribute& a : op.attrs)
    if (!has_item(signature.ignored, a.name)) attrs += (attrs.empty() ? "" : ", ") + attribute_text(a);
  return op.type + "(" + joined(filled(op.inputs), ", ") + ") -> " + joined(filled(op.outputs), ", ") +
         (attrs.empty() ? "" : " {" + attrs + "}");
}

}  // namespace

void take_names(const AddedConverters& specs, Program* program) {
  for (Block& block : program->blocks) {
    for (Op& op : block.ops) {
      const auto found = specs.paddle.find(op.type);
      if (found == specs.paddle.end() || !found->second.signature) continue;
      name_slots(&op.inputs, numbered_input, found->second.signature->inputs);
      name_slots(&op.outputs, numbered_output, found->second.signature->outputs);
    }
  }
}

std::string signature_hint(const Op& op, const CustomSignature& signature) {
  return "the operator is " + form_of(op, signature) +
         "; list every operand, result and attribute in the signature, and those without effect also in 'ignore'";
}

void check_signature(const Op& op, const AddedConverter& added, const SortedNames& read_later) {
  const CustomSignature& own = *added.signature;
  Comparison comparison;
  const Names inputs = filled(op.inputs), outputs = filled(op.outputs), attrs = attributes(op, own);
  comparison.compare("operand", inputs, inputs, own.inputs, added.required);
  comparison.compare("result", filled(op.outputs, &read_later), outputs, own.outputs, {});
  comparison.compare("attribute", attrs, attrs, own.attrs, own.wanted);
  const std::string text = comparison.text();
  if (text.empty()) return;
  Refused refused(E_USAGE, text);
  refused.hint(signature_hint(op, own));
  throw refused;
}

}  // namespace fluid2onnx
