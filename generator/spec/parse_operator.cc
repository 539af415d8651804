#include <algorithm>
#include <array>
#include <string_view>

#include "generator/spec/parse.h"
#include "generator/spec/table.h"
#include "generator/spec/values.h"

namespace opgen {
namespace {

const std::vector<std::string> kParamKinds = {"int_array", "int", "float_array", "float"};

class OperatorParser {
 public:
  OperatorParser(const YamlNode& node, Diagnostics& diagnostics)
      : diagnostics_(diagnostics), errors_(diagnostics.breaking_count()), mapping_(node, keys::op, diagnostics) {
    spec_.span = node.span;
    spec_.file = node.span.file ? node.span.file->path : "";
  }

  void run(std::vector<OpSpec>& ops) {
    if (!mapping_) return;
    if (const YamlNode* op = mapping_.find("op")) {
      spec_.op = read_name(*op, "the name of an operator", diagnostics_);
      spec_.span = op->text_span;
    }
    parse_head();
    // A custom operator of Paddle may have a capital letter.
    spec_.onnx = is_onnx_name(spec_.op.text) && !spec_.signature;
    parse_conditions();
    parse_bodies();
    parse_examples();
    finish(ops);
  }

 private:
  const YamlNode* find(const char* key) const { return mapping_.find(key); }

  bool of_onnx() const {
    const YamlNode* const table = find("for_each");
    const std::vector<std::string> rows = table != nullptr ? row_names(*table) : std::vector<std::string>();
    return spec_.onnx || (!rows.empty() && is_onnx_name(rows.front()));
  }

  void names(const char* key, std::vector<Text>& into) {
    if (const YamlNode* node = find(key)) into = read_names(*node, diagnostics_);
  }

  void parse_head() {
    if (const YamlNode* doc = find("doc")) spec_.doc = read_line(*doc, "a sentence", diagnostics_);
    if (const YamlNode* params = find("params")) parse_params(*params);
    if (const YamlNode* ignore = find("ignore")) parse_ignore(*ignore);
    if (const YamlNode* layout = find("layout")) parse_layout(*layout);
    parse_slots();
    names("complex", spec_.complex);
    if (const YamlNode* limits = find("limits")) parse_limits(*limits);
  }

  /// Names of what the facts have, or with types all that the operator has.
  void parse_slots() {
    const YamlNode* const outputs = find("outputs");
    if (outputs == nullptr || outputs->kind != YamlNode::Kind::map) {
      names("inputs", spec_.inputs);
      names("outputs", spec_.outputs);
      names("attrs", spec_.attrs);
      return;
    }
    spec_.signature.emplace();
    spec_.signature->span = outputs->span;
    declare("inputs", "{X: tensor, Bias: tensor?, Others: list}", spec_.signature->inputs, spec_.inputs);
    declare("outputs", "{Out: tensor}", spec_.signature->outputs, spec_.outputs);
    declare("attrs", "{axis: int = -1, mode: string}", spec_.signature->attrs, spec_.attrs);
  }

  /// What is neither ignored nor refused is used.
  void declare(const char* key, const char* example, std::vector<Declared>& all, std::vector<Text>& used) {
    const YamlNode* const node = find(key);
    if (node == nullptr) return;
    all = parse_declared(*node, example, diagnostics_);
    const auto elsewhere = [&](const std::string& name) {
      return spec_.layout.text == name ||
             std::any_of(spec_.params.begin(), spec_.params.end(), [&](auto& p) { return p.name.text == name; }) ||
             std::any_of(spec_.ignore.begin(), spec_.ignore.end(), [&](auto& i) { return i.name.text == name; });
    };
    for (Declared& declared : all) {
      const bool refused = std::string_view(key) == "inputs" && declared.type.text == "refused";
      if (refused) declared.type.text = "tensor?";
      else if (!elsewhere(declared.name.text)) used.push_back(declared.name);
    }
  }

  void parse_params(const YamlNode& node) {
    if (node.kind != YamlNode::Kind::map)
      return wrong_type(node, "attributes and their kinds", diagnostics_, "write {shape: int_array}");
    for (const YamlNode::Entry& entry : node.entries) {
      Text kind = read_text(entry.value, "a kind of parameter", diagnostics_);
      if (kind.text.empty()) continue;
      if (std::find(kParamKinds.begin(), kParamKinds.end(), kind.text) == kParamKinds.end()) {
        diagnostics_.error("unknown-word", kind.span,
                           "unknown kind of parameter '" + kind.text + "'" + did_you_mean(kind.text, kParamKinds),
                           "use int_array, int, float_array or float");
        continue;
      }
      spec_.params.push_back({key_text(entry), std::move(kind)});
    }
  }

  void parse_ignore(const YamlNode& node) {
    if (node.kind != YamlNode::Kind::map)
      return wrong_type(node, "names and reasons", diagnostics_, "write {name: why it does not matter}");
    for (const YamlNode::Entry& entry : node.entries) {
      Text reason = read_line(entry.value, "a reason", diagnostics_);
      if (!reason.text.empty()) spec_.ignore.push_back({key_text(entry), std::move(reason)});
    }
  }

  void parse_layout(const YamlNode& node) {
    if (node.kind != YamlNode::Kind::map || node.entries.size() != 1) {
      diagnostics_.error("wrong-type", node.span, "expected one attribute and the names that have its layout",
                         "write {data_format: [Input, Output]}");
      return;
    }
    spec_.layout = key_text(node.entries.front());
    spec_.layout_names = read_names(node.entries.front().value, diagnostics_);
  }

  void parse_limits(const YamlNode& node) {
    if (node.kind != YamlNode::Kind::list) return wrong_type(node, "a list of sentences", diagnostics_);
    if (node.items.empty()) diagnostics_.error("empty-list", node.span, "the list is empty", "remove the key");
    for (const YamlNode& item : node.items) {
      Text sentence = read_line(item, "a sentence", diagnostics_);
      if (!sentence.text.empty()) spec_.limits.push_back(std::move(sentence));
    }
  }

  void parse_conditions() {
    if (const YamlNode* require = find("require")) spec_.require = parse_requires(*require, diagnostics_);
    if (const YamlNode* let = find("let")) spec_.let = read_let(*let, diagnostics_);
  }

  void parse_bodies() {
    const YamlNode::Entry* const nodes = mapping_.entry("nodes");
    const YamlNode::Entry* const variants = mapping_.entry("variants");
    const YamlNode::Entry* const native = mapping_.entry("native");
    spec_.variants = parse_variants(variants, nodes, diagnostics_);
    if (const YamlNode* lod = find("lod")) {
      const Statements all = parse_lod(*lod, diagnostics_);
      for (Variant& v : spec_.variants) v.nodes.insert(v.nodes.begin(), all.begin(), all.end());
    }
    if (native != nullptr) spec_.native = read_name(native->value, "the name of a C++ function", diagnostics_);
    if (const YamlNode* why = find("why")) spec_.why = read_line(*why, "a reason", diagnostics_);

    exactly_one({nodes, variants, native}, "'nodes', 'variants' and 'native'");
    if (native != nullptr && find("why") == nullptr)
      diagnostics_.error("missing-key", native->key_span, "'native' needs the key 'why'",
                         "write what the spec language cannot express");
    if (native == nullptr && find("why") != nullptr)
      diagnostics_.error("conflicting-keys", mapping_.entry("why")->key_span, "'why' needs 'native'");
  }

  void exactly_one(std::array<const YamlNode::Entry*, 3> entries, const std::string& list) {
    const auto* const first =
        std::find_if(entries.begin(), entries.end(), [](auto* entry) { return entry != nullptr; });
    if (first == entries.end()) {
      diagnostics_.error("missing-key", spec_.span, "an operator needs one of the keys " + list);
      return;
    }
    for (const auto* other = first + 1; other != entries.end(); ++other) {
      if (*other == nullptr) continue;
      diagnostics_
          .error("conflicting-keys", (*other)->key_span,
                 "'" + (*other)->key + "' beside '" + (*first)->key + "': an operator has one of " + list)
          .notes.emplace_back((*first)->key_span, "first here");
    }
  }

  void parse_examples() {
    const YamlNode* const list = find("examples");
    if (list == nullptr) {
      // Programs with sub-blocks are more than an example can say; those operators are native.
      // ONNX's operators are tested by what ONNX brings along (tests/onnx).
      if (find("native") == nullptr && !of_onnx())
        diagnostics_.error("missing-examples", spec_.span, "an operator needs the key 'examples'",
                           "write '- in: {X: \"float32[2, 3]\"}'; Paddle and ONNX Runtime run each example");
      return;
    }
    if (list->kind != YamlNode::Kind::list) return wrong_type(*list, "a list of examples", diagnostics_);
    if (list->items.empty())
      diagnostics_.error("empty-list", list->span, "the list is empty", "add at least one example");
    for (const YamlNode& item : list->items) {
      // A whole model of tests/models, for operands that no example can make.
      if (item.kind == YamlNode::Kind::scalar && is_name(item.text)) {
        spec_.models.push_back({item.text, item.text_span});
        continue;
      }
      const Mapping mapping(item, keys::example, diagnostics_);
      if (!mapping) continue;
      Example example;
      example.span = item.span;
      example.number = static_cast<size_t>(&item - list->items.data());
      if (const YamlNode* name = mapping.find("name")) example.name = read_name(*name, "a name", diagnostics_);
      check_example_name(example);
      if (const YamlNode* only = mapping.find("only")) check_only(*only);
      example.body = item;
      spec_.examples.push_back(std::move(example));
    }
  }

  void check_example_name(const Example& example) {
    if (example.name.text.empty()) return;
    for (const Example& other : spec_.examples) {
      if (other.name.text != example.name.text) continue;
      diagnostics_.error("duplicate-name", example.name.span, "two examples are named '" + example.name.text + "'")
          .notes.emplace_back(other.name.span, "first here");
    }
  }

  void check_only(const YamlNode& only) {
    const YamlNode* const table = find("for_each");
    if (table == nullptr) {
      diagnostics_.error("conflicting-keys", only.span, "'only' needs a spec with 'for_each'");
      return;
    }
    const std::vector<std::string> rows = row_names(*table);
    for (const Text& op : read_names(only, diagnostics_)) {
      if (std::find(rows.begin(), rows.end(), op.text) != rows.end()) continue;
      diagnostics_.error("unknown-name", op.span,
                         "'" + op.text + "' is not a row of 'for_each'" + did_you_mean(op.text, rows));
    }
  }

  void finish(std::vector<OpSpec>& ops) {
    const YamlNode::Entry* const table = mapping_.entry("for_each");
    const Text doc = spec_.doc;
    std::vector<OpSpec> made;
    if (table == nullptr) {
      refuse_columns(spec_, diagnostics_);
      made.push_back(std::move(spec_));
    } else {
      if (const YamlNode::Entry* op = mapping_.entry("op"))
        diagnostics_.error("conflicting-keys", table->key_span, "'for_each' is not allowed beside 'op'")
            .notes.emplace_back(op->key_span, "first here");
      for (const TableRow& row : parse_table(table->value, diagnostics_))
        made.push_back(expand(spec_, row, diagnostics_));
    }
    // Later stages would report what is missing from a broken spec; bad style breaks nothing.
    const bool usable = diagnostics_.breaking_count() == errors_;
    for (OpSpec& spec : made) {
      check_doc(spec.doc, doc, diagnostics_);
      if (usable) ops.push_back(std::move(spec));
    }
  }

  Diagnostics& diagnostics_;
  size_t errors_;  ///< that broke something, before this operator
  Mapping mapping_;
  OpSpec spec_;
};

}  // namespace

void parse_operator(const YamlNode& node, std::vector<OpSpec>& ops, Diagnostics& diagnostics) {
  OperatorParser(node, diagnostics).run(ops);
}

}  // namespace opgen
