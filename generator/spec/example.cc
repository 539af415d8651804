#include "generator/spec/example.h"

#include <algorithm>
#include <set>

#include "generator/diagnostics/text.h"
#include "generator/spec/attr_value.h"
#include "generator/spec/reference.h"
#include "generator/spec/tensor_text.h"
#include "generator/spec/values.h"

namespace opgen {
namespace {

class ExampleChecker {
 public:
  ExampleChecker(const OpSpec& spec, const OpFact& fact, const Facts& facts, Diagnostics& diagnostics)
      : spec_(spec), fact_(fact), facts_(facts), diagnostics_(diagnostics) {}

  /// nullopt after a diagnostic, of the example or of the spec.
  std::optional<CheckedExample> run(const Example& example) {
    const size_t errors = diagnostics_.error_count();
    body_ = &example.body;
    out_ = {};
    misspelt_.clear();
    out_.span = example.span;
    out_.name = example.name.text.empty() ? std::to_string(example.number) : example.name.text;
    inputs();
    attributes();
    constants();
    open_dims();
    outputs();
    expectations();
    reference();
    if (diagnostics_.error_count() > errors || !misspelt_.empty()) return std::nullopt;
    return std::move(out_);
  }

 private:
  const YamlNode* find(const char* key) const {
    const YamlNode::Entry* entry = body_->find(key);
    return entry != nullptr ? &entry->value : nullptr;
  }

  void error(const char* code, const Span& span, const std::string& message, const std::string& help = "") {
    diagnostics_.error(code, span, message, help);
  }

  static bool lists(const std::vector<Text>& names, const std::string& wanted) {
    return std::any_of(names.begin(), names.end(), [&](const Text& name) { return name.text == wanted; });
  }

  // -- operands ----------------------------------------------------------------------------------------------

  void inputs() {
    const YamlNode* const node = find("in");
    if (node != nullptr && node->kind != YamlNode::Kind::map)
      return wrong_type(*node, "operands", diagnostics_, "write {X: \"float32[2, 3]\"}");
    if (node != nullptr)
      for (const YamlNode::Entry& entry : node->entries) operand(entry);
    for (const SlotFact& slot : fact_.inputs) {
      if (slot.optional || slot.extra || slot.dead || (node != nullptr && node->find(slot.name) != nullptr)) continue;
      if (misspelt_.count(slot.name) > 0) continue;
      error("missing-operand", out_.span, "operand '" + slot.name + "' of '" + spec_.op.text + "' is missing");
    }
  }

  void operand(const YamlNode::Entry& entry) {
    const SlotFact* const slot = fact_.input(entry.key);
    const AttrFact* const attr = fact_.attr(entry.key);  // some attributes may name a variable
    if (slot == nullptr && (attr == nullptr || !attr->tensor)) {
      misspelt_.insert(closest(entry.key, names_of(fact_.inputs)));
      // Otherwise the spec's error is reported once.
      if (!lists(spec_.inputs, entry.key))
        return error("unknown-slot", entry.key_span,
                     "'" + spec_.op.text + "' has no input '" + entry.key + "'" +
                         did_you_mean(entry.key, names_of(fact_.inputs)));
    }
    const bool list = slot == nullptr || slot->list;
    if (!list && entry.value.kind == YamlNode::Kind::list)
      return error("wrong-type", entry.key_span,
                   "'" + entry.key + "' of '" + spec_.op.text + "' is one tensor, not a list");
    std::vector<TensorExample>& tensors = out_.inputs[entry.key];
    const std::vector<YamlNode> single = {entry.value};
    for (const YamlNode& item : entry.value.kind == YamlNode::Kind::list ? entry.value.items : single) {
      const Text text = read_text(item, "an operand such as \"float32[2, 3]\"", diagnostics_);
      if (text.text.empty()) continue;
      if (std::optional<TensorExample> tensor = parse_tensor(text, diagnostics_)) tensors.push_back(std::move(*tensor));
    }
  }

  void attributes() {
    const auto given_by_tensor = [this](const AttrFact& attr) {
      if (spec_.onnx) return !attr.required;
      if (out_.inputs.count(attr.name) > 0) return true;
      const auto param = fact_.params.find(attr.name);
      if (param == fact_.params.end()) return false;
      return out_.inputs.count(param->second.tensor_slot) > 0 || out_.inputs.count(param->second.list_slot) > 0 ||
             out_.inputs.count(param->second.like_slot) > 0;
    };
    const auto has_value = [this](const std::string& name) {
      misspelt_.insert(name);
      return lists(spec_.attrs, name) || std::any_of(spec_.params.begin(), spec_.params.end(),
                                                     [&](const Param& param) { return param.name.text == name; });
    };
    out_.attrs = check_attrs(find("attrs"), spec_.op.text, fact_, given_by_tensor, has_value, out_.span, diagnostics_);
    // An ONNX node has the given attributes, and its version the defaults.
    if (spec_.onnx) std::erase_if(out_.attrs, [](const auto& entry) { return !entry.second.given; });
  }

  bool is_operand(const Text& name) {
    if (out_.inputs.count(name.text) > 0) return true;
    error("unknown-name", name.span,
          "'" + name.text + "' is not an operand of this example" + did_you_mean(name.text, names_of(out_.inputs)));
    return false;
  }

  void constants() {
    const YamlNode* const node = find("const");
    if (node == nullptr) return;
    for (const Text& name : read_names(*node, diagnostics_))
      if (is_operand(name)) out_.constants.push_back(name.text);
  }

  void open_dims() {
    const YamlNode* const node = find("dyn");
    if (node == nullptr) return;
    if (node->kind == YamlNode::Kind::scalar && node->text == "all") {
      out_.all_open = true;
      return;
    }
    if (node->kind != YamlNode::Kind::map)
      return wrong_type(*node, "'all' or operands and axes", diagnostics_, "write {X: [0, 2]}");
    for (const YamlNode::Entry& entry : node->entries) open_dims(entry);
  }

  void open_dims(const YamlNode::Entry& entry) {
    if (!is_operand(key_text(entry))) return;
    if (entry.value.kind != YamlNode::Kind::list) return wrong_type(entry.value, "a list of axes", diagnostics_);
    if (std::find(out_.constants.begin(), out_.constants.end(), entry.key) != out_.constants.end())
      return error("conflicting-keys", entry.key_span, "'" + entry.key + "' is a constant: its sizes are known");
    for (const YamlNode& item : entry.value.items) {
      const std::optional<int64_t> axis = integer(item);
      if (!axis) continue;
      for (const TensorExample& tensor : out_.inputs[entry.key])
        if (*axis < 0 || *axis >= static_cast<int64_t>(tensor.dims.size()))
          return error("bad-value", item.span, "'" + entry.key + "' has no axis " + item.text);
      out_.open_dims[entry.key].push_back(*axis);
    }
  }

  std::optional<int64_t> integer(const YamlNode& node) {
    const bool digits = node.kind == YamlNode::Kind::scalar && !node.text.empty() && node.text.size() < 10 &&
                        node.text.find_first_not_of("0123456789") == std::string::npos;
    if (digits) return std::stoll(node.text);
    error("bad-value", node.span, "expected an integer of at least 0");
    return std::nullopt;
  }

  // -- results -----------------------------------------------------------------------------------------------

  /// The output that an example names, if the spec makes it.
  const SlotFact* output(const Text& name) {
    const SlotFact* const slot = fact_.output(name.text);
    if (slot != nullptr && lists(spec_.outputs, name.text)) return slot;
    error("unknown-slot", name.span,
          "the spec has no output '" + name.text + "'" + did_you_mean(name.text, names_of(spec_.outputs)));
    return nullptr;
  }

  void outputs() {
    const YamlNode* const node = find("out");
    std::map<std::string, int64_t> counts;
    if (node != nullptr && node->kind == YamlNode::Kind::list) {
      for (const Text& name : read_names(*node, diagnostics_))
        if (output(name) != nullptr) out_.compare.push_back(name.text);
    } else if (node != nullptr && node->kind == YamlNode::Kind::map) {
      for (const YamlNode::Entry& entry : node->entries) count(entry, counts);
    } else if (node != nullptr) {
      wrong_type(*node, "a list of outputs or their numbers of tensors", diagnostics_, "write [Out] or {Out: 3}");
    }
    for (const SlotFact& slot : fact_.outputs) make(slot, counts);
    if (node != nullptr && node->kind == YamlNode::Kind::list) return;
    for (const Text& name : spec_.outputs) {
      const SlotFact* const slot = fact_.output(name.text);
      if (slot != nullptr && !slot->extra && out_.outputs.count(name.text) > 0) out_.compare.push_back(name.text);
    }
  }

  void count(const YamlNode::Entry& entry, std::map<std::string, int64_t>& counts) {
    const SlotFact* const slot = output(key_text(entry));
    const std::optional<int64_t> number = integer(entry.value);
    if (slot == nullptr || !number) return;
    if (!slot->list && *number > 1)
      return error("bad-value", entry.value.span, "'" + entry.key + "' of '" + spec_.op.text + "' is one tensor");
    if (!slot->optional && *number == 0)
      return error("bad-value", entry.value.span, "'" + entry.key + "' of '" + spec_.op.text + "' is required");
    counts[entry.key] = *number;
  }

  void make(const SlotFact& slot, const std::map<std::string, int64_t>& counts) {
    const auto given = counts.find(slot.name);
    const bool compared = std::find(out_.compare.begin(), out_.compare.end(), slot.name) != out_.compare.end();
    if (given != counts.end()) {
      if (given->second > 0) out_.outputs[slot.name] = given->second;
    } else if (spec_.onnx && slot.optional && find("out") != nullptr && !compared) {
      return;  // the node itself lists its outputs
    } else if (!slot.optional || compared || (lists(spec_.outputs, slot.name) && !slot.extra)) {
      out_.outputs[slot.name] = 1;
    }
  }

  // -- what is expected --------------------------------------------------------------------------------------

  void expectations() {
    if (const YamlNode* why = find("why")) out_.why = read_line(*why, "a reason", diagnostics_).text;
    if (const YamlNode* refused = find("refused")) out_.refused = read_code(*refused, diagnostics_).text;
    if (const YamlNode* opsets = find("opset"))
      parse_opsets(read_text(*opsets, "a range of opsets", diagnostics_), diagnostics_, &out_.opsets.emplace());
    if (const YamlNode* tol = find("tol")) tolerance(*tol);
  }

  void tolerance(const YamlNode& node) {
    if (node.kind == YamlNode::Kind::scalar && node.text == "random") {
      out_.random = true;
      return;
    }
    if (node.kind == YamlNode::Kind::list && node.items.size() == 2) {
      out_.rtol = tolerance_value(node.items[0]);
      out_.atol = tolerance_value(node.items[1]);
    } else {
      out_.rtol = out_.atol = tolerance_value(node);
    }
    if (find("why") == nullptr)
      error("missing-key", node.span, "'tol' needs the key 'why'", "write why the result cannot be as exact as others");
  }

  std::optional<double> tolerance_value(const YamlNode& node) {
    char* end = nullptr;
    const double value = node.kind == YamlNode::Kind::scalar ? std::strtod(node.text.c_str(), &end) : 0;
    if (end != nullptr && *end == '\0' && value >= 0 && value < 1e6) return value;
    error("bad-value", node.span, "expected a number of at least 0", "write 1e-4, [rtol, atol] or random");
    return std::nullopt;
  }

  void reference() {
    if (spec_.onnx) return;  // ONNX Runtime determines its outputs
    const YamlNode* const node = find("reference");
    if (node != nullptr && node->kind != YamlNode::Kind::scalar) {
      out_.reference = check_reference(*node, out_, fact_, facts_, diagnostics_);
    } else if (spec_.signature && out_.refused.empty()) {
      error("missing-reference", out_.span, "Paddle has no operator '" + spec_.op.text + "' to run this example",
            "add 'reference': statements with operators that Paddle " + facts_.oldest_release() + " has");
    } else {
      out_.paddle_3 = find_paddle_3(node);
    }
  }

  /// The operator of Paddle 3 that runs the example, if Fluid has none or the example asks for it. Prefers operators
  /// that do not work in place.
  const PirOpFact* find_paddle_3(const YamlNode* asked) {
    if (asked != nullptr && asked->text != facts_.newest_release())
      error("bad-value", asked->span, "expected " + facts_.newest_release() + ", or a list of statements",
            "remove the key otherwise");
    if (asked == nullptr && facts_.newer.count(spec_.op.text) == 0) return nullptr;
    const PirOpFact* found = nullptr;
    for (const auto& [name, fact] : facts_.pir) {
      const bool better = found == nullptr || (out_.paddle_3_name.ends_with('_') && !name.ends_with('_'));
      if (fact.fluid != spec_.op.text || !better || !can_run(fact)) continue;
      out_.paddle_3_name = name;
      found = &fact;
    }
    if (found == nullptr)
      error("bad-value", out_.span,
            "Paddle 3 has no operator '" + spec_.op.text + "' with these operands and attributes");
    return found;
  }

  /// Whether the operator has the example's operands, and computes what its attributes say.
  bool can_run(const PirOpFact& fact) const {
    for (const auto& [slot, tensors] : out_.inputs) {
      const auto takes = [&, name = slot](const PirArgument& operand) {
        const auto param = fact_.params.find(operand.attr);
        return operand.slot == name || (!operand.attr.empty() && param != fact_.params.end() &&
                                        (param->second.tensor_slot == name || param->second.list_slot == name));
      };
      if (std::none_of(fact.operands.begin(), fact.operands.end(), takes)) return false;
    }
    return std::all_of(fact.fixed.begin(), fact.fixed.end(), [this](const auto& fixed) {
      const auto attr = out_.attrs.find(fixed.first);
      return attr != out_.attrs.end() && attr->second.value == fixed.second;
    });
  }

  const OpSpec& spec_;
  const OpFact& fact_;
  const Facts& facts_;
  Diagnostics& diagnostics_;
  const YamlNode* body_ = nullptr;
  std::set<std::string> misspelt_;  ///< names that there are not, and operands that were meant by them
  CheckedExample out_;
};

}  // namespace

std::vector<CheckedExample> check_examples(const OpSpec& spec, const OpFact& fact, const Facts& facts,
                                           Diagnostics& diagnostics) {
  std::vector<CheckedExample> checked;
  ExampleChecker checker(spec, fact, facts, diagnostics);
  for (const Example& example : spec.examples)
    if (std::optional<CheckedExample> good = checker.run(example)) checked.push_back(std::move(*good));
  return checked;
}

void check_examples(const SpecSet& specs, const Facts& facts, Diagnostics& diagnostics) {
  for (const OpSpec& spec : specs.ops)
    if (const std::optional<OpFact> fact = fact_of(spec, facts, diagnostics))
      check_examples(spec, *fact, facts, diagnostics);
}

}  // namespace opgen
