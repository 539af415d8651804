#include "generator/check/onnx_examples.h"

#include <algorithm>

#include "generator/check/onnx_fact.h"
#include "generator/spec/example.h"

namespace opgen {
namespace {

using nlohmann::json;

// Operators of other domains have one version; this is the opset of the operators beside them.
constexpr int kOpsetBesideForeign = 21;

// ONNX's numbers of element types, by Paddle's, which examples have.
const std::map<int64_t, int> kElementTypes = {{0, 9},  {1, 5},  {2, 6},  {3, 7},   {4, 10},  {5, 1},
                                              {6, 11}, {20, 2}, {21, 3}, {22, 16}, {23, 14}, {24, 15}};

bool holds_element_type(const std::string& attr) { return attr == "to" || attr == "dtype" || attr == "output_dtype"; }

bool below_zero(const json& value) {
  if (value.is_array()) return std::any_of(value.begin(), value.end(), below_zero);
  return value.is_number() && value < 0;
}

/// One example as a node of one version.
class NodeOfVersion {
 public:
  NodeOfVersion(const CheckedExample& example, const OnnxGroup& group, const OnnxVersion& version)
      : example_(example), group_(group), version_(version) {}

  /// Null if the version cannot express it: then `why` names what is missing.
  json run(std::string* why) {
    operands();
    attributes();
    results();
    *why = why_;
    if (!why_.empty()) return nullptr;
    return {{"inputs", inputs_}, {"attrs", attrs_}, {"outputs", outputs_}};
  }

 private:
  bool fail(const std::string& why) {
    if (why_.empty()) why_ = why;
    return false;
  }

  const std::vector<TensorExample>* given(const std::string& slot) const {
    const auto found = example_.inputs.find(slot);
    return found == example_.inputs.end() ? nullptr : &found->second;
  }

  bool is_constant(const std::string& slot) const {
    return std::find(example_.constants.begin(), example_.constants.end(), slot) != example_.constants.end();
  }

  /// What the version calls a name of the newest one.
  std::string older(const std::string& name) const {
    for (const auto& [newest, old] : group_.older)
      if (newest == name && version_.attrs.count(old) > 0) return old;
    return name;
  }

  void operands() {
    const std::vector<OnnxOperand>& newest = group_.newest().inputs;
    for (size_t i = 0; i < newest.size(); ++i) {
      const std::vector<TensorExample>* const tensors = given(newest[i].name);
      const bool taken = i < version_.inputs.size() && version_.attrs.count(older(newest[i].name)) == 0;
      if (tensors == nullptr) {
        if (!taken) continue;
        if (version_.inputs[i].optional || version_.inputs[i].variadic) inputs_.push_back(nullptr);
        else inputs_.push_back({{"empty", true}});
      } else if (taken) {
        operand(version_.inputs[i], newest[i].name, *tensors);
      } else {
        as_attribute(newest[i].name);
      }
    }
    for (const auto& [name, attr] : version_.attrs)
      if (attr.type == OnnxAttr::Type::tensor && given(name) != nullptr) attrs_[name] = {{"tensor", name}};
    while (!inputs_.empty() && inputs_.back().is_null()) inputs_.erase(inputs_.size() - 1);
  }

  void operand(const OnnxOperand& slot, const std::string& name, const std::vector<TensorExample>& tensors) {
    for (size_t i = 0; i < tensors.size(); ++i) {
      const TensorExample& tensor = tensors[i];
      if (!slot.dtypes.empty() && slot.dtypes.count(tensor.dtype) == 0)
        fail("operand '" + name + "' cannot be " + tensor.dtype);
      if (!slot.type.empty() && bound_.emplace(slot.type, tensor.dtype).first->second != tensor.dtype)
        fail("operand '" + name + "' has the dtype of the others");
      if (name == "axes" && version_.first < 11 && below_zero(tensor.values)) fail("axes must not be negative");
      inputs_.push_back({{"name", slot.variadic ? name + "." + std::to_string(i) : name}});
    }
  }

  void as_attribute(const std::string& name) {
    const auto attr = version_.attrs.find(older(name));
    if (attr == version_.attrs.end()) {
      fail("operand '" + name + "' is missing");
    } else if (!is_constant(name)) {
      fail("operand '" + name + "' is an attribute, and not constant here");
    } else if (name == "axes" && version_.first < 11 && below_zero(given(name)->front().values)) {
      fail("axes must not be negative");
    } else {
      attrs_[attr->first] = {{"operand", name}, {"type", name_of(attr->second.type)}};
    }
  }

  void attributes() {
    for (const auto& [name, value] : example_.attrs) attribute(name, value.value);
    for (const auto& [name, attr] : version_.attrs) {
      const auto newest = group_.newest().attrs.find(name);
      if (!attr.required || attrs_.contains(name) || newest == group_.newest().attrs.end()) continue;
      if (!newest->second.default_value.is_null())
        attrs_[name] = {{"type", name_of(attr.type)}, {"value", newest->second.default_value}};
    }
  }

  void attribute(const std::string& name, const json& value) {
    const std::string spelt = older(name);
    const auto attr = version_.attrs.find(spelt);
    if (attr == version_.attrs.end()) {
      if (value != group_.newest().attrs.at(name).default_value) fail("attribute '" + name + "' is missing");
      return;
    }
    if ((name == "axis" || name == "axes") && version_.first < 11 && below_zero(value))
      fail("axes must not be negative");
    for (const Adaptation& a : group_.adaptations)
      if (a.kind == Adaptation::Kind::value_added && a.name == name && value == a.value && version_.first < a.since)
        fail("attribute '" + name + "' cannot be '" + a.value + "'");
    json written = value;
    if (holds_element_type(name)) {
      const auto type = kElementTypes.find(value.get<int64_t>());
      written = type == kElementTypes.end() ? 0 : type->second;
    }
    attrs_[spelt] = {{"type", example_.attrs.at(name).type}, {"value", written}};
  }

  void results() {
    const std::vector<OnnxOperand>& newest = group_.newest().outputs;
    for (size_t i = 0; i < newest.size(); ++i) {
      const auto count = example_.outputs.find(newest[i].name);
      if (count == example_.outputs.end()) {
        outputs_.push_back("");
        continue;
      }
      if (i >= version_.outputs.size()) fail("output '" + newest[i].name + "' is missing");
      for (int64_t k = 0; k < count->second; ++k)
        outputs_.push_back(newest[i].variadic ? newest[i].name + "." + std::to_string(k) : newest[i].name);
    }
    while (!outputs_.empty() && outputs_.back() == "") outputs_.erase(outputs_.size() - 1);
  }

  const CheckedExample& example_;
  const OnnxGroup& group_;
  const OnnxVersion& version_;
  std::string why_;
  std::map<std::string, std::string> bound_;  ///< dtypes of type variables
  json inputs_ = json::array(), attrs_ = json::object(), outputs_ = json::array();
};

/// The example in each version that can say it. `why` tells what the newest one of those asked for misses.
json nodes_of(const CheckedExample& example, const OnnxGroup& group, std::string* why) {
  const OpsetRange asked = example.opsets.value_or(OpsetRange{});
  const bool foreign = group.op.find('.') != std::string::npos;
  json nodes = json::array();
  for (const OnnxVersion& version : group.versions) {
    int first = std::max(version.first, asked.first);
    if (foreign && asked.first <= kOpsetBesideForeign && asked.last >= kOpsetBesideForeign) first = kOpsetBesideForeign;
    const int last = std::min(version.last, asked.last);
    if (first > last) continue;
    json node = NodeOfVersion(example, group, version).run(why);
    if (node.is_null()) continue;
    node["first"] = first;
    node["last"] = last;
    nodes.push_back(std::move(node));
  }
  return nodes;
}

/// ONNX Runtime runs the example as the reference.
void check_references(const OpSpec& spec, Diagnostics& diagnostics) {
  for (const Example& example : spec.examples) {
    if (const YamlNode::Entry* reference = example.body.find("reference"))
      diagnostics.error("conflicting-keys", reference->key_span,
                        "'reference' is not allowed for an ONNX operator, which ONNX Runtime runs");
  }
}

/// Calls visit(spec, group, fact, example) for each example that has no mistake in itself.
template <typename Visit>
void each_example(const SpecSet& specs, const OnnxModel& onnx, const Facts& facts, Diagnostics& diagnostics,
                  const Visit& visit) {
  for (const OpSpec& spec : specs.onnx) {
    const OnnxGroup* const group = find_onnx_group(onnx, spec.op.text);
    if (group == nullptr || spec.examples.empty()) continue;  // a wrong name is reported elsewhere
    check_references(spec, diagnostics);
    const OpFact fact = onnx_fact(*group);
    for (const CheckedExample& example : check_examples(spec, fact, facts, diagnostics))
      visit(spec, *group, fact, example);
  }
}

}  // namespace

void check_onnx_examples(const SpecSet& specs, const OnnxModel& onnx, const Facts& facts, Diagnostics& diagnostics) {
  each_example(specs, onnx, facts, diagnostics,
               [&](const OpSpec& spec, const OnnxGroup& group, const OpFact&, const CheckedExample& example) {
                 std::string why;
                 if (!nodes_of(example, group, &why).empty()) return;
                 diagnostics.error(
                     "bad-example", example.span,
                     "no version of '" + spec.op.text + "' can express this example" + (why.empty() ? "" : ": " + why));
               });
}

json onnx_examples_json(const SpecSet& specs, const OnnxModel& onnx, const Facts& facts) {
  json list = json::array();
  Diagnostics ignored;  // --check reports them
  each_example(specs, onnx, facts, ignored,
               [&](const OpSpec& spec, const OnnxGroup& group, const OpFact& fact, const CheckedExample& example) {
                 std::string why;
                 json object = example_json(spec, fact, example);
                 const size_t dot = group.op.rfind('.');
                 object["onnx"] = {{"op", dot == std::string::npos ? group.op : group.op.substr(dot + 1)},
                                   {"domain", dot == std::string::npos ? "" : group.op.substr(0, dot)},
                                   {"nodes", nodes_of(example, group, &why)}};
                 list.push_back(std::move(object));
               });
  return list;
}

}  // namespace opgen
