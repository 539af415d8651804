#include <algorithm>
#include <filesystem>

#include "generator/diagnostics/source.h"
#include "generator/spec/facts.h"
#include "generator/spec/values.h"

namespace opgen {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

/// ignored.yaml: each list with a reason for every name.
struct Ignored {
  std::vector<std::string> everywhere;
  std::vector<std::string> kept;
};

const KeySet kIgnoredKeys{
    "ignored", "the table of ignored attributes", {{"everywhere", true}, {"extra", true}, {"kept", true}}};

bool contains(const std::vector<std::string>& list, const std::string& name) {
  return std::find(list.begin(), list.end(), name) != list.end();
}

std::string text_of(const json& object, const char* key) { return object.value(key, std::string()); }
bool flag_of(const json& object, const char* key) { return object.value(key, false); }

std::vector<SlotFact> slots_of(const json& list) {
  std::vector<SlotFact> slots;
  for (const json& entry : list) {
    SlotFact slot;
    slot.name = entry.at("name").get<std::string>();
    slot.optional = flag_of(entry, "optional");
    slot.list = flag_of(entry, "list");
    slot.extra = flag_of(entry, "extra") || flag_of(entry, "intermediate");
    slots.push_back(std::move(slot));
  }
  return slots;
}

std::vector<AttrFact> attrs_of(const json& list, const Ignored& ignored) {
  std::vector<AttrFact> attrs;
  for (const json& entry : list) {
    AttrFact attr;
    attr.name = entry.at("name").get<std::string>();
    attr.type = entry.at("type").get<std::string>();
    attr.default_value = entry.value("default", json());
    attr.tensor = flag_of(entry, "tensor");
    attr.extra = flag_of(entry, "extra") && !contains(ignored.kept, attr.name);
    attrs.push_back(std::move(attr));
  }
  return attrs;
}

ParamFact param_of(const json& entry) {
  ParamFact param;
  param.tensor_slot = text_of(entry, "tensor");
  param.list_slot = text_of(entry, "list");
  param.like_slot = text_of(entry, "like");
  param.attrs = entry.value("attrs", std::vector<std::string>());
  param.order = entry.value("order", std::vector<std::string>());
  return param;
}

void add_operators(const json& table, const Ignored& ignored, Facts& facts) {
  for (const auto& [name, entry] : table.at("ops").items()) {
    OpFact& fact = facts.ops[name];
    fact.inputs = slots_of(entry.at("inputs"));
    fact.outputs = slots_of(entry.at("outputs"));
    fact.attrs = attrs_of(entry.at("attrs"), ignored);
    fact.dtypes = entry.value("dtypes", std::vector<std::string>());
  }
  for (const json& name : table.at("common_attrs"))
    if (!contains(facts.ignored_attrs, name.get<std::string>())) facts.ignored_attrs.push_back(name.get<std::string>());
}

void add_params(const json& table, Facts& facts) {
  for (const auto& [op, entry] : table.at("ops").items())
    for (const auto& [attr, param] : entry.items()) facts.ops[op].params[attr] = param_of(param);
  for (const auto& [op, slots] : table.at("dead_slots").items())
    for (SlotFact& slot : facts.ops[op].inputs)
      slot.dead = slot.dead || std::find(slots.begin(), slots.end(), slot.name) != slots.end();
}

std::vector<PirArgument> pir_arguments(const json& list) {
  std::vector<PirArgument> arguments;
  for (const json& entry : list) {
    PirArgument argument;
    argument.name = entry.at("name").get<std::string>();
    argument.slot = text_of(entry, "slot");
    argument.attr = text_of(entry, "attr");
    argument.cast = text_of(entry, "cast");
    argument.overwrites = text_of(entry, "overwrites");
    argument.list = flag_of(entry, "list");
    argument.ignored = flag_of(entry, "ignored");
    argument.type = entry.contains("mutable") ? text_of(entry, "mutable") : text_of(entry, "type");
    argument.stored = text_of(entry, "stored");
    argument.optional = flag_of(entry, "optional");
    argument.default_value = entry.value("default", json());
    argument.neutral = entry.value("neutral", json());
    arguments.push_back(std::move(argument));
  }
  return arguments;
}

void add_attr(OpFact& op, const std::string& name, const std::string& type, const json& default_value,
              const std::string& since = "") {
  if (op.attr(name)) return;
  AttrFact added;
  added.name = name;
  added.type = type;
  added.default_value = default_value;
  added.since = since;
  op.attrs.push_back(std::move(added));
}

/// Attributes that Paddle 3 added to operators that Fluid has, and the release where they began to compute something
/// else: specs must speak of both.
void add_new_attrs(PirOpFact& fact, const json& attrs, Facts& facts) {
  const auto fluid = facts.ops.find(fact.fluid);
  if (fluid == facts.ops.end()) return;
  for (size_t i = 0; i < fact.attrs.size(); ++i) {
    if (!attrs[i].contains("neutral")) continue;
    PirArgument& attr = fact.attrs[i];
    attr.attr = attr.name;
    add_attr(fluid->second, attr.name, attrs[i].at("type").get<std::string>(), attrs[i].at("neutral"),
             facts.newest_release());
  }
  std::vector<std::string>& changes = fluid->second.changes;
  if (!fact.changed.empty() && !contains(changes, fact.changed)) changes.push_back(fact.changed);
}

/// Operands that Paddle 3 can do without, where Fluid has another operator for that (deformable_conv_v1) or none.
void add_optional(const PirOpFact& fact, const json& operands, Facts& facts) {
  const auto fluid = facts.ops.find(fact.fluid);
  if (fluid == facts.ops.end()) return;
  for (const json& operand : operands) {
    if (!flag_of(operand, "optional")) continue;
    for (SlotFact& slot : fluid->second.inputs) {
      if (slot.name == text_of(operand, "slot")) slot.optional = true;
    }
  }
}

/// An operator that Fluid does not have is named as it is, without the underscore of in-place operators, or
/// NAME_v3 if Fluid has another one of that name. So are its parts.
void add_newer(std::string name, PirOpFact& fact, const json& entry, Facts& facts) {
  fact.is_newer = true;
  if (name.ends_with('_')) name.pop_back();
  fact.fluid = name + (facts.ops.count(name) ? "_v3" : "");
  OpFact& op = facts.newer[fact.fluid];
  op.inputs = slots_of(entry.at("inputs"));
  op.outputs = slots_of(entry.at("outputs"));
  for (PirArgument& result : fact.results) result.slot = result.name;
  for (size_t i = 0; i < fact.operands.size(); ++i) {
    PirArgument& operand = fact.operands[i];
    operand.slot = operand.name;
    if (!operand.may_be_attribute()) continue;
    operand.attr = operand.name;
    op.inputs[i].optional = true;
    op.params[operand.name] = {operand.name, "", "", {}, {"tensor", "attr"}};
    add_attr(op, operand.name, operand.type, operand.default_value);
  }
  for (PirArgument& attr : fact.attrs) {
    attr.attr = attr.name;
    attr.ignored = attr.type == "place";
    if (attr.ignored) attr.attr.clear();
    else add_attr(op, attr.name, attr.type == "dtype" ? "int" : attr.type, attr.default_value);
  }
}

void add_pir(const json& table, Facts& facts) {
  for (const auto& [name, entry] : table.at("ops").items()) {
    PirOpFact& fact = facts.pir[name];
    fact.fluid = text_of(entry, "fluid");
    fact.changed = text_of(entry, "changed");
    fact.fixed = entry.value("fixed", std::map<std::string, json>());
    fact.operands = pir_arguments(entry.at("inputs"));
    fact.results = pir_arguments(entry.at("outputs"));
    fact.attrs = pir_arguments(entry.at("attrs"));
    for (const auto* list : {&fact.operands, &fact.attrs})
      for (const PirArgument& argument : *list) fact.order.push_back(argument.name);
    fact.order = entry.value("arguments", fact.order);
    if (fact.fluid.empty()) add_newer(name, fact, entry, facts);
    add_new_attrs(fact, entry.at("attrs"), facts);
    add_optional(fact, entry.at("inputs"), facts);
  }
}

void add_dtypes(const json& table, Facts& facts) {
  for (const auto& [op, entry] : table.items()) {
    const auto list = [&entry](const char* key) { return entry.value(key, std::vector<std::string>()); };
    facts.dtypes[op] = {list("verified"), list("refused")};
    // Kernels may be registered for what they do not take.
    const auto fact = facts.ops.find(op);
    if (fact == facts.ops.end()) continue;
    const std::vector<std::string> rejected = list("rejected");
    std::vector<std::string> taken;
    for (const std::string& dtype : fact->second.dtypes)
      if (!contains(rejected, dtype)) taken.push_back(dtype);
    if (!taken.empty()) fact->second.dtypes = taken;
  }
}

std::vector<std::string> read_reasons(const YamlNode* node, Diagnostics& diagnostics) {
  std::vector<std::string> names;
  if (node == nullptr) return names;
  if (node->kind != YamlNode::Kind::map) wrong_type(*node, "attributes and reasons", diagnostics);
  for (const YamlNode::Entry& entry : node->entries) {
    read_line(entry.value, "a reason", diagnostics);
    names.push_back(entry.key);
  }
  return names;
}

Ignored read_ignored(const Source& source, Diagnostics& diagnostics) {
  Ignored ignored;
  const std::optional<YamlNode> root = read_yaml(source, diagnostics);
  if (!root) return ignored;
  const Mapping mapping(*root, kIgnoredKeys, diagnostics);
  ignored.everywhere = read_reasons(mapping.find("everywhere"), diagnostics);
  ignored.kept = read_reasons(mapping.find("kept"), diagnostics);
  read_reasons(mapping.find("extra"), diagnostics);  // Paddle's own flags say the same
  return ignored;
}

/// Runs `use` on a JSON table. The tables are made by scripts, so the place of a mistake in them hardly matters.
template <typename Use>
void with_table(const Source& source, Diagnostics& diagnostics, const Use& use) {
  if (!source) return;
  try {
    use(json::parse(source->text));
  } catch (const json::parse_error& e) {
    diagnostics.error("bad-facts", span_of(source, e.byte == 0 ? 0 : e.byte - 1, 1), "the JSON is invalid",
                      "regenerate the table: see opspecs/facts/README.md");
  } catch (const json::exception& e) {
    diagnostics.error("bad-facts", span_of(source, 0, 1), std::string("the content is invalid: ") + e.what(),
                      "regenerate the table: see opspecs/facts/README.md");
  }
}

void add_lod(const json& table, Facts& facts) {
  for (const char* section : {"shares", "sometimes"})
    for (const auto& [op, entry] : table.at(section).items())
      for (const auto& [result, source] : entry.items()) {
        const auto text = source.get<std::string>();  // "X.0", or "X": the one at the result's index
        const bool first = text.size() > 2 && text.compare(text.size() - 2, 2, ".0") == 0;
        facts.lod[op].push_back({result, first ? text.substr(0, text.size() - 2) : text, first});
      }
}

}  // namespace

Facts read_signatures(const ReadFact& read, Diagnostics& diagnostics) {
  const auto load = [&](const char* name) { return read(name, diagnostics); };
  Facts facts;
  Ignored ignored;
  if (const Source source = load("ignored.yaml")) ignored = read_ignored(source, diagnostics);
  facts.ignored_attrs = ignored.everywhere;
  if (const Source source = load("releases.yaml")) facts.releases = read_releases(source, diagnostics);
  // Fluid's operators are those of the oldest table, Paddle 3's those of the newest.
  std::vector<std::string> tables;
  for (const Release& r : facts.releases.list())
    if (!r.signatures.empty()) tables.push_back(r.signatures);
  if (tables.size() < 2) return facts;
  with_table(load(tables.front().c_str()), diagnostics,
             [&](const json& table) { add_operators(table, ignored, facts); });
  with_table(load(tables.back().c_str()), diagnostics, [&](const json& table) { add_pir(table, facts); });
  with_table(load("params.json"), diagnostics, [&](const json& table) { add_params(table, facts); });
  return facts;
}

Facts read_facts(const std::string& directory, Diagnostics& diagnostics) {
  const ReadFact read = [&](const std::string& name, Diagnostics& d) {
    return load_source((fs::path(directory) / name).string(), "opspecs/facts/" + name, d);
  };
  Facts facts = read_signatures(read, diagnostics);
  if (const Source source = read("unconverted.yaml", diagnostics))
    facts.unconverted = read_unconverted(source, diagnostics);
  with_table(read("lod.json", diagnostics), diagnostics, [&](const json& table) { add_lod(table, facts); });
  with_table(read("dtypes.json", diagnostics), diagnostics, [&](const json& table) { add_dtypes(table, facts); });
  return facts;
}

}  // namespace opgen
