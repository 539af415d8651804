#include "generator/spec/yaml_node.h"

namespace opgen {

const YamlNode::Entry* YamlNode::find(const std::string& key) const {
  for (const Entry& entry : entries)
    if (entry.key == key) return &entry;
  return nullptr;
}

}  // namespace opgen
