// YAML as a tree in which every key and value knows its place.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "generator/diagnostics/diagnostics.h"

namespace opgen {

struct YamlNode {
  enum class Kind : uint8_t { scalar, list, map };
  struct Entry;

  Kind kind = Kind::scalar;
  Span span;            ///< of the value; of the key that holds it when the value is a list or map
  std::string text;     ///< of a scalar; of a flow list `[...]`: as written, with its brackets
  bool quoted = false;  ///< a quoted or block scalar: always a string
  bool flow = false;    ///< a list or map in brackets
  Span text_span;       ///< of the first character of `text` within the file (after an opening quote)
  std::vector<YamlNode> items;
  std::vector<Entry> entries;

  const Entry* find(const std::string& key) const;
};

struct YamlNode::Entry {
  std::string key;
  Span key_span;
  YamlNode value;
};

/// Reads one YAML document. Syntax errors, duplicate keys, anchors, aliases, tags, further documents and empty
/// values are diagnosed; nothing is returned when the file cannot be used.
std::optional<YamlNode> read_yaml(const Source& source, Diagnostics& diagnostics);

}  // namespace opgen
