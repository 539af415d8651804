// Checked access to a located tree: the shapes that values of the spec language have.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "generator/spec/keys.h"
#include "generator/spec/located.h"
#include "generator/spec/spec.h"

namespace opgen {

/// A mapping whose keys are known. Construction diagnoses a node that is none, unknown keys and missing keys.
class Mapping {
 public:
  Mapping(const Located& node, const KeySet& keys, Diagnostics& diagnostics);
  explicit operator bool() const { return node_ != nullptr; }
  const Located* find(const std::string& key) const;
  const Located::Entry* entry(const std::string& key) const;

 private:
  const Located* node_ = nullptr;
  std::map<std::string, const Located::Entry*> meant_;  ///< by the right name of a misspelt key
};

/// "a list", "a mapping" or "a text".
const char* kind_of(const Located& node);
/// Diagnoses a node of the wrong kind: "expected a list of names but found a mapping".
void wrong_type(const Located& node, const std::string& expected, Diagnostics& diagnostics,
                const std::string& help = "");

bool is_name(const std::string& text);
/// A name, perhaps behind those of a domain: com.microsoft.Gelu.
bool is_operator_name(const std::string& text);

/// Each returns an empty value after a diagnostic.
Text read_text(const Located& node, const std::string& expected, Diagnostics& diagnostics);
/// A text in one line.
Text read_line(const Located& node, const std::string& expected, Diagnostics& diagnostics);
/// A text, or a flow list as written.
Text read_expression(const Located& node, Diagnostics& diagnostics);
Text read_name(const Located& node, const std::string& expected, Diagnostics& diagnostics);
/// Different names; at least one unless `empty`.
std::vector<Text> read_names(const Located& node, Diagnostics& diagnostics, bool empty = false);
std::vector<Binding> read_let(const Located& node, Diagnostics& diagnostics);
Text key_text(const Located::Entry& entry);
/// An error code as users of the converter see it: ADAPTIVE_DYNAMIC.
Text read_code(const Located& node, Diagnostics& diagnostics);

}  // namespace opgen
