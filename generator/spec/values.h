// Checked access to a located tree: the shapes that values of the spec language have.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "generator/spec/keys.h"
#include "generator/spec/spec.h"
#include "generator/spec/yaml_node.h"

namespace opgen {

/// A mapping whose keys are known. Construction diagnoses a node that is none, unknown keys and missing keys.
class Mapping {
 public:
  Mapping(const YamlNode& node, const KeySet& keys, Diagnostics& diagnostics);
  explicit operator bool() const { return node_ != nullptr; }
  const YamlNode* find(const std::string& key) const;
  const YamlNode::Entry* entry(const std::string& key) const;

 private:
  const YamlNode* node_ = nullptr;
  std::map<std::string, const YamlNode::Entry*> meant_;  ///< by the right name of a misspelt key
};

/// "a list", "a mapping" or "a text".
const char* kind_of(const YamlNode& node);
/// Diagnoses a node of the wrong kind: "expected a list of names but found a mapping".
void wrong_type(const YamlNode& node, const std::string& expected, Diagnostics& diagnostics,
                const std::string& help = "");

bool is_name(const std::string& text);
/// A name, perhaps behind those of a domain: com.microsoft.Gelu.
bool is_operator_name(const std::string& text);

/// Each returns an empty value after a diagnostic.
Text read_text(const YamlNode& node, const std::string& expected, Diagnostics& diagnostics);
/// A text in one line.
Text read_line(const YamlNode& node, const std::string& expected, Diagnostics& diagnostics);
/// True, and diagnosed, if YAML ended an item of a list in brackets inside of its parentheses: `[Out = Add(X, Y)]`
/// arrives as `Out = Add(X` and `Y)`.
bool is_cut(const YamlNode& item, const std::string& what, Diagnostics& diagnostics);
/// A text, or a flow list as written.
Text read_expression(const YamlNode& node, Diagnostics& diagnostics);
Text read_name(const YamlNode& node, const std::string& expected, Diagnostics& diagnostics);
/// Different names; at least one unless `empty`.
std::vector<Text> read_names(const YamlNode& node, Diagnostics& diagnostics, bool empty = false);
std::vector<Binding> read_let(const YamlNode& node, Diagnostics& diagnostics);
Text key_text(const YamlNode::Entry& entry);
/// An error code as users of the converter see it: ADAPTIVE_DYNAMIC.
Text read_code(const YamlNode& node, Diagnostics& diagnostics);

}  // namespace opgen
