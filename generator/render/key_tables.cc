#include "generator/render/key_tables.h"

#include <stdexcept>

#include "generator/spec/keys.h"

namespace opgen {
namespace {

std::string shown(const std::string& type) {
  for (const ValueType& t : keys::types())
    if (type == t.name) return t.shown;
  throw std::logic_error("no type '" + type + "' of keys");
}

/// A cell must not end at a '|' of its text.
std::string cell(const std::string& text) {
  std::string out;
  for (const char c : text) out += c == '|' ? "\\|" : std::string(1, c);
  return out;
}

std::string table_of(const KeySet& set) {
  std::string text = "| key | value | meaning | example |\n|---|---|---|---|\n";
  for (const Key& key : set.keys)
    text += "| `" + std::string(key.name) + "` | " + shown(key.type) + " | " + (key.required ? "Required. " : "") +
            cell(key.doc) + " | `" + cell(key.example) + "` |\n";
  return text;
}

}  // namespace

std::string with_key_tables(const std::string& page) {
  std::string out = page;
  for (const KeySet* set : keys::all()) {
    const std::string begin = "<!-- keys: " + std::string(set->name) + " -->\n";
    const size_t at = out.find(begin);
    if (at == std::string::npos) continue;
    const size_t from = at + begin.size(), to = out.find("<!-- end -->", from);
    if (to != std::string::npos) out.replace(from, to - from, "\n" + table_of(*set) + "\n");
  }
  return out;
}

}  // namespace opgen
