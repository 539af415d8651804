#include "generator/check/onnx_model.h"

#include <algorithm>
#include <fstream>

#include <onnx/defs/schema.h>

#include "generator/diagnostics/source.h"
#include "generator/spec/yaml_node.h"

namespace opgen {
namespace {

/// The contents of onnx.yaml.
struct SchemaFacts {
  struct Value {
    std::string attr, value;
    int since;
  };
  std::map<std::string, std::map<std::string, std::vector<std::string>>> renames;  // op -> newest name -> older names
  std::map<std::string, std::set<int>> barriers;  // op -> versions that begin a new meaning
  std::map<std::string, std::set<int>> widened;   // op -> those of them that mean the same for what older models say
  std::map<std::string, std::vector<Value>> values;
  std::map<std::string, int> early;  // op -> opset from which models have it before ONNX does
};

int number(const std::string& text, const Span& span, Diagnostics& diagnostics) {
  try {
    return std::stoi(text);
  } catch (const std::exception&) {
    diagnostics.error("bad-fact", span, "expected an opset but found '" + text + "'");
    return newest_opset();
  }
}

SchemaFacts read_schema_facts(const Source& source, Diagnostics& diagnostics) {
  SchemaFacts facts;
  if (!source) return facts;
  const std::optional<YamlNode> root = read_yaml(source, diagnostics);
  if (!root) return facts;
  for (const auto& section : root->entries) {
    for (const auto& op : section.value.entries) {
      if (section.key == "renames") {
        for (const auto& name : op.value.entries)
          for (const YamlNode& old : name.value.items) facts.renames[op.key][name.key].push_back(old.text);
      } else if (section.key == "barriers") {
        for (const auto& barrier : op.value.entries)
          facts.barriers[op.key].insert(number(barrier.key, barrier.key_span, diagnostics));
      } else if (section.key == "widened") {
        for (const auto& barrier : op.value.entries)
          facts.widened[op.key].insert(number(barrier.key, barrier.key_span, diagnostics));
      } else if (section.key == "early") {
        facts.early[op.key] = number(op.value.text, op.value.span, diagnostics);
      } else if (section.key == "values") {
        for (const auto& attr : op.value.entries)
          for (const auto& value : attr.value.entries)
            facts.values[op.key].push_back(
                {attr.key, value.key, number(value.value.text, value.value.span, diagnostics)});
      } else {
        diagnostics.error("unknown-key", section.key_span,
                          "unknown key '" + section.key + "'" +
                              did_you_mean(section.key, {"renames", "barriers", "widened", "early", "values"}));
        break;
      }
    }
  }
  return facts;
}

OnnxAttr attribute(const onnx::OpSchema::Attribute& a) {
  using P = onnx::AttributeProto;
  OnnxAttr out;
  out.name = a.name;
  out.required = a.required;
  const bool has_default = a.default_value.type() != P::UNDEFINED;
  switch (a.type) {
    case P::INT:
      out.type = OnnxAttr::Type::integer;
      if (has_default) out.default_value = a.default_value.i();
      break;
    case P::FLOAT:
      out.type = OnnxAttr::Type::floating;
      if (has_default) out.default_value = a.default_value.f();
      break;
    case P::STRING:
      out.type = OnnxAttr::Type::string;
      if (has_default) out.default_value = a.default_value.s();
      break;
    case P::INTS: out.type = OnnxAttr::Type::integers; break;
    case P::FLOATS: out.type = OnnxAttr::Type::floats; break;
    case P::STRINGS:
      out.type = OnnxAttr::Type::strings;
      if (has_default)
        out.default_value =
            std::vector<std::string>(a.default_value.strings().begin(), a.default_value.strings().end());
      break;
    case P::TENSOR: out.type = OnnxAttr::Type::tensor; break;
    default: break;
  }
  return out;
}

/// "float32" of "tensor(float)"; "" of what is no tensor.
std::string element_type(const std::string& type) {
  static const std::string kTensor = "tensor(";
  if (type.rfind(kTensor, 0) != 0) return "";
  const std::string name = type.substr(kTensor.size(), type.size() - kTensor.size() - 1);
  return name == "float" ? "float32" : name == "double" ? "float64" : name;
}

OnnxVersion version(const onnx::OpSchema& schema) {
  OnnxVersion v;
  v.first = schema.SinceVersion();
  const auto operand = [](const onnx::OpSchema::FormalParameter& p) {
    OnnxOperand out;
    out.name = p.GetName();
    out.optional = p.GetOption() == onnx::OpSchema::Optional;
    out.variadic = p.GetOption() == onnx::OpSchema::Variadic;
    for (const std::string* type : p.GetTypes()) out.dtypes.insert(element_type(*type));
    if (!out.variadic || p.GetIsHomogeneous()) out.type = p.GetTypeStr();
    return out;
  };
  for (const auto& p : schema.inputs()) v.inputs.push_back(operand(p));
  for (const auto& p : schema.outputs()) v.outputs.push_back(operand(p));
  for (const auto& [name, a] : schema.attributes()) v.attrs[name] = attribute(a);
  return v;
}

constexpr std::pair<OnnxAttr::Type, const char*> kTypeNames[] = {
    {OnnxAttr::Type::integer, "int"},   {OnnxAttr::Type::floating, "float"}, {OnnxAttr::Type::string, "string"},
    {OnnxAttr::Type::integers, "ints"}, {OnnxAttr::Type::floats, "floats"},  {OnnxAttr::Type::strings, "strings"}};

OnnxAttr::Type type_named(const std::string& name) {
  for (const auto& [type, known] : kTypeNames)
    if (name == known) return type;
  return OnnxAttr::Type::other;
}

/// The operators of ONNX Runtime, which have one version each and are read only.
void read_contrib(const Source& source, Diagnostics& diagnostics,
                  std::map<std::string, std::vector<OnnxGroup>>* groups) {
  if (!source) return;  // it was reported
  const nlohmann::json table = nlohmann::json::parse(source->text, nullptr, false);
  if (table.is_discarded()) {
    Span nowhere;
    nowhere.file = source;
    diagnostics.error("unreadable-file", nowhere, "the file is not JSON");
    return;
  }
  const auto operands = [](const nlohmann::json& list) {
    std::vector<OnnxOperand> out;
    for (const auto& slot : list) {
      out.push_back(
          {slot.at("name").get<std::string>(), slot.value("optional", false), slot.value("list", false), {}, ""});
    }
    return out;
  };
  for (const auto& [op, entry] : table.at("ops").items()) {
    OnnxVersion version;
    version.last = newest_opset();
    version.inputs = operands(entry.at("inputs"));
    version.outputs = operands(entry.at("outputs"));
    for (const auto& a : entry.at("attrs")) {
      OnnxAttr attr;
      attr.name = a.at("name").get<std::string>();
      attr.type = type_named(a.at("type").get<std::string>());
      if (a.contains("default")) attr.default_value = a.at("default");
      version.attrs[attr.name] = attr;
    }
    OnnxGroup group;
    group.op = group.builder = op;
    group.last = newest_opset();
    group.versions.push_back(std::move(version));
    (*groups)[op].push_back(std::move(group));
  }
}

class Adapter {
 public:
  Adapter(const SchemaFacts& facts, OnnxGroup& group) : facts_(facts), group_(group) {}

  void run() {
    const OnnxVersion& newest = group_.newest();
    for (size_t i = 0; i < newest.inputs.size(); ++i)
      if (!newest.inputs[i].variadic) input(i);
    for (const auto& [name, attr] : newest.attrs) attribute(attr);
    for (const Adaptation& a : group_.adaptations) {
      const bool operand = a.kind == Adaptation::Kind::input_was_attr;
      if (operand || a.kind == Adaptation::Kind::attr_renamed) group_.older.emplace_back(a.name, a.old_name);
    }
    // Obsolete forms.
    std::erase_if(group_.adaptations, [](const Adaptation& a) { return a.since <= kOldestOpset; });
    const auto values = facts_.values.find(group_.op);
    if (values == facts_.values.end()) return;
    for (const SchemaFacts::Value& v : values->second) {
      if (v.since <= group_.first || v.since > group_.last) continue;
      Adaptation a{Adaptation::Kind::value_added, v.since, 0, v.attr, "", OnnxAttr::Type::string, {}, v.value};
      group_.adaptations.push_back(a);
    }
  }

 private:
  std::vector<std::string> spellings(const std::string& name) const {
    std::vector<std::string> names{name};
    const auto op = facts_.renames.find(group_.op);
    if (op == facts_.renames.end()) return names;
    const auto olds = op->second.find(name);
    if (olds != op->second.end()) names.insert(names.end(), olds->second.begin(), olds->second.end());
    return names;
  }

  void input(size_t index) {
    const OnnxOperand& newest = group_.newest().inputs[index];
    const std::vector<std::string> names = spellings(newest.name);
    // From the newest version back: what held below each version that changed it.
    for (size_t v = group_.versions.size() - 1; v-- > 0;) {
      const OnnxVersion& old = group_.versions[v];
      const int since = group_.versions[v + 1].first;
      const OnnxOperand* same = nullptr;
      const OnnxAttr* attr = nullptr;
      for (const std::string& name : names) {
        if (index < old.inputs.size() && old.inputs[index].name == name) same = &old.inputs[index];
        const auto a = old.attrs.find(name);
        if (a != old.attrs.end()) attr = &a->second;
      }
      Adaptation a{Adaptation::Kind::input_added, since, index, newest.name, "", OnnxAttr::Type::other, {}, ""};
      if (same != nullptr) {
        if (same->optional || !newest.optional) continue;
        a.kind = Adaptation::Kind::input_required;
      } else if (attr != nullptr) {
        a.kind = Adaptation::Kind::input_was_attr;
        a.old_name = attr->name;
        a.type = attr->type;
      }
      // Several old versions in the same state are one adaptation, from the newest of them on.
      const auto twin = std::find_if(group_.adaptations.begin(), group_.adaptations.end(), [&](const Adaptation& b) {
        return b.kind == a.kind && b.index == a.index && b.old_name == a.old_name && b.name == a.name;
      });
      if (twin == group_.adaptations.end()) group_.adaptations.push_back(a);
    }
  }

  void attribute(const OnnxAttr& newest) {
    for (size_t v = group_.versions.size() - 1; v-- > 0;) {
      const OnnxVersion& old = group_.versions[v];
      Adaptation a{Adaptation::Kind::attr_added,
                   group_.versions[v + 1].first,
                   0,
                   newest.name,
                   "",
                   newest.type,
                   newest.default_value,
                   ""};
      bool same = false;
      for (const std::string& name : spellings(newest.name)) {
        if (old.attrs.count(name) == 0) continue;
        if (name == newest.name) same = true;
        else if (a.old_name.empty()) a.old_name = name;
      }
      if (same) continue;
      if (!a.old_name.empty()) a.kind = Adaptation::Kind::attr_renamed;
      group_.adaptations.push_back(a);
      return;
    }
  }

  const SchemaFacts& facts_;
  OnnxGroup& group_;
};

}  // namespace

std::string name_of(OnnxAttr::Type type) {
  for (const auto& [known, name] : kTypeNames)
    if (type == known) return name;
  return "";
}

opgen::Type OnnxAttr::value_type() const { return parse_type(name_of(type)); }

bool gives_many(const OnnxGroup& group) {
  const auto& outputs = group.newest().outputs;
  return outputs.size() > 1 || (!outputs.empty() && outputs.back().variadic);
}

const char* axes_from_front(const OnnxGroup& group) {
  const OnnxVersion& newest = group.newest();
  if (group.first >= 11) return nullptr;
  if (newest.attrs.count("axis") > 0) return "axis";
  const bool operand =
      std::any_of(newest.inputs.begin(), newest.inputs.end(), [](const OnnxOperand& o) { return o.name == "axes"; });
  return newest.attrs.count("axes") > 0 || operand ? "axes" : nullptr;
}

const OnnxGroup* OnnxModel::before(const OnnxGroup& group) const {
  const std::vector<OnnxGroup>& groups = groups_.at(group.op);
  return &group == &groups.front() ? nullptr : &group - 1;
}

OnnxModel OnnxModel::load(const std::string& folder, Diagnostics& diagnostics) {
  const auto file = [&](const std::string& name) {
    return load_source(folder + name, "opspecs/facts" + name, diagnostics);
  };
  const Source facts = file("/onnx.yaml"), contrib = file("/onnxruntime-contrib.json");
  return load(facts, contrib, diagnostics);
}

OnnxModel OnnxModel::load(const Source& source, const Source& contrib, Diagnostics& diagnostics) {
  const SchemaFacts facts = read_schema_facts(source, diagnostics);
  std::map<std::string, std::map<int, const onnx::OpSchema*>> schemas;
  static const std::vector<onnx::OpSchema> all = onnx::OpSchemaRegistry::get_all_schemas_with_history();
  for (const onnx::OpSchema& s : all)
    if (s.domain().empty()) schemas[s.Name()][s.SinceVersion()] = &s;

  OnnxModel model;
  for (const auto& [op, versions] : schemas) {
    const auto barriers = facts.barriers.find(op);
    std::vector<OnnxGroup>& groups = model.groups_[op];
    for (auto it = versions.begin(); it != versions.end(); ++it) {
      const auto next = std::next(it);
      const int last = next == versions.end() ? newest_opset() : next->first - 1;
      if (it->second->Deprecated()) continue;
      const bool barrier = barriers != facts.barriers.end() && barriers->second.count(it->first) > 0;
      if (groups.empty() || barrier) {
        groups.emplace_back();
        const auto widened = facts.widened.find(op);
        groups.back().reads_older = widened != facts.widened.end() && widened->second.count(it->first) > 0;
      }
      OnnxGroup& group = groups.back();
      group.op = op;
      OnnxVersion v = version(*it->second);
      v.last = last;
      if (group.versions.empty()) group.first = std::max(kOldestOpset, v.first);
      group.last = last;
      for (const auto& [name, a] : it->second->attributes())
        if (a.type == onnx::AttributeProto::GRAPH) group.has_subgraphs = true;
      group.has_body = it->second->HasFunction() || it->second->HasContextDependentFunction();
      group.versions.push_back(std::move(v));
    }
    if (groups.empty()) {
      model.groups_.erase(op);
      continue;
    }
    for (OnnxGroup& group : groups) {
      group.builder = &group == &groups.back() ? op : op + "_" + std::to_string(group.newest().first);
      Adapter(facts, group).run();
      std::sort(group.adaptations.begin(), group.adaptations.end(), [](const Adaptation& a, const Adaptation& b) {
        return std::tie(b.since, a.index, a.name) < std::tie(a.since, b.index, b.name);
      });
    }
    if (const auto early = facts.early.find(op); early != facts.early.end()) groups.front().reads_from = early->second;
  }
  read_contrib(contrib, diagnostics, &model.groups_);
  return model;
}

const OnnxGroup* OnnxModel::find(const std::string& op, int version) const {
  const auto it = groups_.find(op);
  if (it == groups_.end()) return nullptr;
  if (version == 0) return &it->second.back();
  for (const OnnxGroup& group : it->second)
    if (group.newest().first == version) return &group;
  return nullptr;
}

std::vector<std::string> OnnxModel::names() const {
  std::vector<std::string> list;
  for (const auto& [op, groups] : groups_) list.push_back(op);
  return list;
}

std::vector<int> OnnxModel::versions(const std::string& op) const {
  std::vector<int> list;
  const auto it = groups_.find(op);
  if (it == groups_.end()) return list;
  for (const OnnxGroup& group : it->second) list.push_back(group.newest().first);
  return list;
}

}  // namespace opgen
