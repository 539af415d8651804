#include "generator/spec/reference.h"

#include <algorithm>
#include <set>

#include "generator/diagnostics/text.h"
#include "generator/spec/attr_value.h"
#include "generator/spec/values.h"

namespace opgen {
namespace {

class ReferenceChecker {
 public:
  ReferenceChecker(const CheckedExample& example, const OpFact& fact, const Facts& facts, Diagnostics& diagnostics)
      : example_(example), fact_(fact), facts_(facts), diagnostics_(diagnostics) {
    for (const auto& [slot, tensors] : example.inputs) define(slot, fact.input(slot), tensors.size());
  }

  std::vector<ReferenceStep> run(const YamlNode& node) {
    std::vector<ReferenceStep> steps;
    if (node.kind != YamlNode::Kind::list) {
      wrong_type(node, "a list of statements", diagnostics_, "write '- {op: relu, in: {X: X}, out: {Out: Out}}'");
      return steps;
    }
    const size_t errors = diagnostics_.error_count();
    for (const YamlNode& item : node.items) step(item, steps);
    if (diagnostics_.error_count() > errors) return steps;  // a wrong step may have been to make it
    for (const std::string& output : example_.compare)
      for (const std::string& name : expand_output(output))
        if (known_.count(name) == 0)
          diagnostics_.error("unmade-output", node.span, "the reference does not make '" + name + "'");
    return steps;
  }

 private:
  void define(const std::string& slot, const SlotFact* fact, size_t count) {
    if (fact == nullptr || !fact->list) {
      known_.insert(slot);
      return;
    }
    std::vector<std::string>& all = lists_[slot];
    for (size_t i = 0; i < count; ++i) known_.insert(all.emplace_back(slot + "." + std::to_string(i)));
  }

  std::vector<std::string> expand_output(const std::string& output) const {
    const SlotFact* const slot = fact_.output(output);
    const auto count = example_.outputs.find(output);
    if (slot == nullptr || !slot->list || count == example_.outputs.end()) return {output};
    std::vector<std::string> names;
    for (int64_t i = 0; i < count->second; ++i) names.push_back(output + "." + std::to_string(i));
    return names;
  }

  void step(const YamlNode& node, std::vector<ReferenceStep>& steps) {
    const Mapping mapping(node, keys::reference, diagnostics_);
    const YamlNode* const op = mapping.find("op");
    if (op == nullptr) return;
    ReferenceStep out;
    out.op = read_name(*op, "the name of an operator", diagnostics_).text;
    const auto fact = facts_.ops.find(out.op);
    if (fact == facts_.ops.end()) {
      diagnostics_.error("unknown-operator", op->span,
                         "Paddle " + facts_.oldest_release() + " has no operator '" + out.op + "'" +
                             did_you_mean(out.op, names_of(facts_.ops)));
      return;
    }
    if (const YamlNode* in = mapping.find("in")) out.inputs = slots(*in, out.op, fact->second.inputs, true);
    if (const YamlNode* result = mapping.find("out")) out.outputs = slots(*result, out.op, fact->second.outputs, false);
    const auto by_tensor = [&](const AttrFact& attr) {
      const auto param = fact->second.params.find(attr.name);
      return param != fact->second.params.end() &&
             (out.inputs.count(param->second.tensor_slot) > 0 || out.inputs.count(param->second.list_slot) > 0);
    };
    out.attrs = check_attrs(
        mapping.find("attrs"), out.op, fact->second, by_tensor, [](const std::string&) { return false; }, node.span,
        diagnostics_);
    steps.push_back(std::move(out));
  }

  std::map<std::string, std::vector<std::string>> slots(const YamlNode& node, const std::string& op,
                                                        const std::vector<SlotFact>& facts, bool reads) {
    std::map<std::string, std::vector<std::string>> result;
    if (node.kind != YamlNode::Kind::map) {
      wrong_type(node, "slots and names", diagnostics_, "write {X: name}");
      return result;
    }
    const std::vector<std::string> known = names_of(facts);
    for (const YamlNode::Entry& entry : node.entries) {
      if (std::find(known.begin(), known.end(), entry.key) == known.end()) {
        diagnostics_.error("unknown-slot", entry.key_span,
                           "'" + op + "' has no " + (reads ? "input" : "output") + " '" + entry.key + "'" +
                               did_you_mean(entry.key, known));
        continue;
      }
      const std::vector<YamlNode> single = {entry.value};
      for (const YamlNode& item : entry.value.kind == YamlNode::Kind::list ? entry.value.items : single) {
        const Text name = read_text(item, "a name", diagnostics_);
        if (!name.text.empty()) reads ? use(name, result[entry.key]) : make(name, result[entry.key]);
      }
    }
    return result;
  }

  void use(const Text& name, std::vector<std::string>& into) {
    const auto list = lists_.find(name.text);
    if (list != lists_.end()) {
      into.insert(into.end(), list->second.begin(), list->second.end());
      return;
    }
    if (known_.count(name.text) == 0)
      diagnostics_.error("unknown-name", name.span,
                         "unknown name '" + name.text + "'" + did_you_mean(name.text, {known_.begin(), known_.end()}));
    into.push_back(name.text);
  }

  void make(const Text& name, std::vector<std::string>& into) {
    for (const std::string& one : expand_output(name.text)) {
      known_.insert(one);
      into.push_back(one);
    }
  }

  const CheckedExample& example_;
  const OpFact& fact_;
  const Facts& facts_;
  Diagnostics& diagnostics_;
  std::set<std::string> known_;
  std::map<std::string, std::vector<std::string>> lists_;
};

}  // namespace

std::vector<ReferenceStep> check_reference(const YamlNode& node, const CheckedExample& example, const OpFact& fact,
                                           const Facts& facts, Diagnostics& diagnostics) {
  return ReferenceChecker(example, fact, facts, diagnostics).run(node);
}

}  // namespace opgen
