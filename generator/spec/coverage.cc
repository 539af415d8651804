// Every operator of Paddle has a spec, or a reason why it has none.
#include <set>

#include "generator/spec/facts.h"
#include "generator/spec/values.h"

namespace opgen {
namespace {

/// Operators that programs of either Paddle may have, by the names that specs give them.
std::set<std::string> operators_of(const Facts& facts) {
  std::set<std::string> names;
  for (const auto& [name, fact] : facts.ops) names.insert(name);
  for (const auto& [name, fact] : facts.pir) names.insert(fact.fluid);
  return names;
}

const KeySet kGroupKeys{"group", "a group of operators without specs", {{"because", true}, {"ops", true}}};

}  // namespace

std::map<std::string, Unconverted> read_unconverted(const Source& source, Diagnostics& diagnostics) {
  std::map<std::string, Unconverted> found;
  const std::optional<YamlNode> root = read_yaml(source, diagnostics);
  if (!root) return found;
  if (root->kind != YamlNode::Kind::map) wrong_type(*root, "categories", diagnostics);
  for (const YamlNode::Entry& category : root->entries) {
    if (category.value.kind != YamlNode::Kind::list) wrong_type(category.value, "a list of groups", diagnostics);
    for (const YamlNode& group : category.value.items) {
      const Mapping mapping(group, kGroupKeys, diagnostics);
      const YamlNode* const because = mapping.find("because");
      const YamlNode* const ops = mapping.find("ops");
      if (because == nullptr || ops == nullptr) continue;
      const std::string reason = read_line(*because, "a reason", diagnostics).text;
      for (const Text& op : read_names(*ops, diagnostics))
        if (!found.emplace(op.text, Unconverted{category.key, reason, op.span}).second)
          diagnostics.error("duplicate-name", op.span, "'" + op.text + "' is listed twice");
    }
  }
  return found;
}

void check_coverage(const SpecSet& specs, const Facts& facts, Diagnostics& diagnostics) {
  if (facts.unconverted.empty()) return;
  std::set<std::string> converted;
  for (const OpSpec& spec : specs.ops) converted.insert(spec.op.text);
  const std::set<std::string> known = operators_of(facts);
  for (const auto& [name, entry] : facts.unconverted) {
    if (converted.count(name))
      diagnostics.error("converted", entry.span, "'" + name + "' has a spec", "remove it from this list");
    if (!known.count(name))
      diagnostics.error("unknown-operator", entry.span,
                        "neither Paddle " + facts.known_releases("nor") + " has an operator '" + name + "'" +
                            did_you_mean(name, {known.begin(), known.end()}));
  }
  for (const std::string& name : known)
    if (!converted.count(name) && !facts.unconverted.count(name))
      diagnostics.error("no-spec", facts.unconverted.begin()->second.span, "'" + name + "' has no spec and no reason",
                        "write a spec, or add the reason here");
}

}  // namespace opgen
