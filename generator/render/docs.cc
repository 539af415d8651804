#include "generator/render/docs.h"

#include <algorithm>

#include "generator/check/onnx_fact.h"
#include "generator/diagnostics/text.h"
#include "generator/render/functions.h"
#include "generator/render/template.h"

namespace opgen {
namespace {

using nlohmann::json;

std::set<std::string> example_dtypes(const YamlNode& value) {
  std::set<std::string> out;
  const auto add = [&out](const std::string& text) { out.insert(text.substr(0, text.find('['))); };
  const YamlNode::Entry* in = value.find("in");
  if (in == nullptr) return out;
  for (const YamlNode::Entry& slot : in->value.entries) {
    if (slot.value.kind == YamlNode::Kind::scalar) add(slot.value.text);
    for (const YamlNode& item : slot.value.items) add(item.text);
  }
  return out;
}

bool is_for(const YamlNode& example, const std::string& op) {
  const YamlNode::Entry* only = example.find("only");
  if (only == nullptr) return true;
  return std::any_of(only->value.items.begin(), only->value.items.end(),
                     [&](const YamlNode& name) { return name.text == op; });
}

/// "float32, int64; not complex64": of Paddle's kernel, or those of the examples where it has no table of kernels.
std::string dtypes(const CheckedOp& op, const Facts& facts) {
  const auto found = facts.dtypes.find(op.spec->op.text);
  if (found != facts.dtypes.end() && !found->second.verified.empty()) {
    const DtypeFact& fact = found->second;
    return joined(fact.verified) + (fact.refused.empty() ? "" : "; not " + joined(fact.refused));
  }
  std::set<std::string> seen;
  for (const Example& e : op.spec->examples)
    if (is_for(e.body, op.spec->op.text)) seen.merge(example_dtypes(e.body));
  return joined({seen.begin(), seen.end()});
}

/// "2.6, 3.3 as add": which Paddle has the operator, what changed its results and which attributes were added. In-place
/// operators are not distinguished; "1" was removed since.
std::string releases(const std::string& op, const Facts& facts) {
  std::vector<std::string> names;
  for (const auto& [name, fact] : facts.pir) {
    if (fact.fluid != op) continue;
    const bool in_place = name.ends_with('_') && facts.pir.count(name.substr(0, name.size() - 1)) > 0;
    if (!in_place) names.push_back(name);
  }
  const bool other_name = std::find(names.begin(), names.end(), op) == names.end();
  const std::string newest = names.empty() ? "" : facts.newest_release() + (other_name ? " as " + joined(names) : "");
  const auto known = facts.ops.find(op);
  if (known == facts.ops.end()) return newest.empty() ? "1" : newest;
  std::vector<std::string> added;
  for (const AttrFact& a : known->second.attrs)
    if (!a.since.empty()) added.push_back(a.name);
  std::string text = facts.oldest_release() + (newest.empty() ? "" : ", " + newest);
  if (!added.empty()) text += " with " + joined(added);
  if (!known->second.changes.empty()) text += "; other results since " + joined(known->second.changes);
  return text;
}

/// What has no spec, by category and reason.
json unconverted(const Facts& facts) {
  std::map<std::pair<std::string, std::string>, std::vector<std::string>> groups;
  for (const auto& [op, entry] : facts.unconverted) groups[{entry.category, entry.reason}].push_back(op);
  json list = json::array();
  for (const auto& [key, ops] : groups) {
    list.push_back({{"category", key.first},
                    {"reason", key.second},
                    {"names", "`" + joined(ops, "`, `") + "`"},
                    {"plain_names", joined(ops)}});
  }
  return list;
}

/// A message with dots in the place of what only a model can fill in.
std::string without_holes(const CheckedRequire& require) {
  std::string text = require.pieces[0];
  for (size_t i = 1; i < require.pieces.size(); ++i) text += "..." + require.pieces[i];
  return text;
}

/// The last column of an operator.
std::string limits_of(const CheckedOp& op) {
  std::string text;
  const auto add = [&](const std::string& limit) { text += (text.empty() ? "" : "; ") + limit; };
  for (const Text& limit : op.spec->limits) add(limit.text);
  for (const CheckedRequire& require : op.require) add(without_holes(require));
  for (const std::string& slot : op.refused_inputs) add("no input " + slot);
  if (!op.spec->native.text.empty()) add("C++: " + op.spec->why.text);
  return text;
}

/// ONNX to Paddle, by ONNX operator.
json onnx_operators(const CheckedProgram& program, const OnnxModel& onnx) {
  json list = json::array();
  for (const CheckedOp& op : program.onnx) {
    const OnnxGroup& group = *find_onnx_group(onnx, op.spec->op.text);
    const int first = group.versions.front().first;
    list.push_back({{"op", group.op},
                    {"spec", op.spec->file},
                    {"first", first},
                    {"last", group.last},
                    {"opsets", group.last < newest_opset() ? std::to_string(first) + " to " + std::to_string(group.last)
                                                           : std::to_string(first) + "+"},
                    {"doc", op.spec->doc.text},
                    {"derived", program.is_derived(op)},
                    {"limits", limits_of(op)}});
  }
  return list;
}

/// Operators of ONNX without a spec: those that its schemas say by others, and the rest.
json onnx_left(const CheckedProgram& program, const OnnxModel& onnx) {
  std::set<std::string> read;
  for (const CheckedOp& op : program.onnx) read.insert(find_onnx_group(onnx, op.spec->op.text)->op);
  std::vector<std::string> bodies, rest;
  for (const std::string& name : onnx.names()) {
    if (read.count(name) > 0) continue;
    (onnx.find(name, 0)->has_body ? bodies : rest).push_back(name);
  }
  return {{"bodies", joined(bodies)}, {"rest", joined(rest)}};
}

}  // namespace

std::string opsets_text(const OpsetRange& range, const std::vector<CheckedVariant>& variants) {
  std::set<int> firsts{range.first};
  for (const CheckedVariant& v : variants)
    if (v.when && !v.range.empty()) firsts.insert(v.range.first);
  // A variant that only improves on a later, always possible one adds no limits.
  int always = newest_opset() + 1;
  for (const CheckedVariant& v : variants)
    if (!v.when && !v.range.empty()) always = std::min(always, v.range.first);
  std::string text;
  for (const int first : firsts)
    if (first == range.first || (always > range.first && first <= always))
      text += (text.empty() ? "" : ", ") + std::to_string(first);
  return text + (range.last < newest_opset() ? " to " + std::to_string(range.last) : "+");
}

std::map<std::string, std::string> render_docs(const CheckedProgram& program, const OnnxModel& onnx, const Facts& facts,
                                               const std::string& templates) {
  json ops = json::array();
  size_t natives = 0;
  std::set<std::string> families;
  for (const CheckedOp& op : program.ops) {
    const std::string name = op.spec->op.text;
    const auto examples = std::count_if(op.spec->examples.begin(), op.spec->examples.end(),
                                        [&name](const Example& e) { return is_for(e.body, name); });
    natives += op.spec->native.text.empty() ? 0 : 1;
    const std::string family = family_of(op.spec->file);
    families.insert(family);
    ops.push_back({{"op", name},
                   {"spec", op.spec->file},
                   {"family", family},
                   {"first", op.range.first},
                   {"last", op.range.last},
                   {"doc", op.spec->doc.text},
                   {"opsets", opsets_text(op.range, op.variants)},
                   {"examples", examples},
                   {"paddle", releases(name, facts)},
                   {"dtypes", dtypes(op, facts)},
                   {"limits", limits_of(op)}});
  }
  json family_list = json::array();
  for (const std::string& f : families) family_list.push_back({{"family", f}});
  const json back = onnx_operators(program, onnx);
  const json matrix{
      {"onnx", back},
      {"onnx_count", back.size()},
      {"onnx_derived", std::count_if(back.begin(), back.end(), [](const json& o) { return o["derived"]; })},
      {"onnx_left", onnx_left(program, onnx)},
      {"oldest", kOldestOpset},
      {"newest", newest_opset()},
      {"count", program.ops.size()},
      {"natives", natives},
      {"ops", ops},
      {"families", family_list},
      {"unconverted", unconverted(facts)},
      {"left", facts.unconverted.size()},
      {"paddles", facts.known_releases("and")},
      {"newest_paddle", facts.newest_release()}};
  return {{"docs/support-matrix.md", render_template(templates, "support-matrix.md.mustache", matrix)},
          {"site/support-matrix.html", render_template(templates, "support-matrix.html.mustache", matrix)},
          {"docs/functions.md", render_functions(program, templates)}};
}

}  // namespace opgen
