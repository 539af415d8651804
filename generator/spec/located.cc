#include "generator/spec/located.h"

namespace opgen {

const Located::Entry* Located::find(const std::string& key) const {
  for (const Entry& entry : entries)
    if (entry.key == key) return &entry;
  return nullptr;
}

}  // namespace opgen
