#include "generator/spec/facts.h"

#include <algorithm>

#include "generator/diagnostics/text.h"
#include "generator/spec/signature.h"

namespace opgen {
namespace {

template <typename Fact>
const Fact* by_name(const std::vector<Fact>& facts, const std::string& name) {
  const auto it = std::find_if(facts.begin(), facts.end(), [&](const Fact& fact) { return fact.name == name; });
  return it != facts.end() ? &*it : nullptr;
}

}  // namespace

const SlotFact* OpFact::input(const std::string& name) const { return by_name(inputs, name); }
const SlotFact* OpFact::output(const std::string& name) const { return by_name(outputs, name); }
const AttrFact* OpFact::attr(const std::string& name) const { return by_name(attrs, name); }

std::vector<std::string> OpFact::attr_names() const {
  std::vector<std::string> names;
  for (const AttrFact& a : attrs)
    if (!a.extra) names.push_back(a.name);
  return names;
}

std::vector<std::string> Facts::operator_names() const {
  std::vector<std::string> names = names_of(ops);
  for (const auto& [name, fact] : newer) names.push_back(name);
  return names;
}

std::string Facts::known_releases(const char* conjunction) const {
  std::string text;
  const std::vector<std::string> names = releases.with_signatures();
  for (const std::string& name : names)
    text += (text.empty() ? "" : &name == &names.back() ? " " + std::string(conjunction) + " " : ", ") + name;
  return text;
}

std::optional<OpFact> fact_of(const OpSpec& spec, const Facts& facts, Diagnostics& diagnostics) {
  const OpFact* known = nullptr;
  for (const auto* table : {&facts.ops, &facts.newer})
    if (const auto found = table->find(spec.op.text); found != table->end() && !known) known = &found->second;
  if (spec.signature) {
    if (known) {
      diagnostics.error("needless-signature", spec.signature->span,
                        "Paddle's table already has the signature of '" + spec.op.text + "'",
                        "list names under 'inputs', 'outputs' and 'attrs', without types");
      return std::nullopt;
    }
    return declared_fact(*spec.signature, diagnostics);
  }
  if (known) return *known;
  diagnostics.error(
      "unknown-operator", spec.span,
      "neither Paddle " + facts.known_releases("nor") + " has an operator '" + spec.op.text + "'" +
          did_you_mean(spec.op.text, facts.operator_names()),
      "for a custom operator, or one of older versions, write types under 'inputs', 'outputs' and 'attrs'");
  return std::nullopt;
}

}  // namespace opgen
