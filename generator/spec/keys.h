// Every key of the spec language, defined once: the parser, the JSON schema for editors, `opgen fmt` and the reference
// page read these tables.
#pragma once

#include <string>
#include <vector>

namespace opgen {

/// What a value may be.
struct ValueType {
  const char* name;    ///< in the schema's definitions
  const char* shown;   ///< in the reference page
  const char* schema;  ///< JSON
};

struct Key {
  const char* name;
  bool required = false;
  const char* type = "";  ///< a ValueType, or the KeySet of a mapping
  const char* doc = "";   ///< for editors and the reference page
  const char* example = "";
};

struct KeySet {
  const char* name;  ///< as in the schema's definitions
  const char* what;  ///< in messages: "an operator"
  std::vector<Key> keys;
  const char* doc = "";
  const char* rules = "{}";  ///< additional JSON of the schema's definition

  std::vector<std::string> names() const;
};

namespace keys {
extern const KeySet op;
extern const KeySet function;
extern const KeySet variant;
extern const KeySet require;
extern const KeySet if_statement;
extern const KeySet for_statement;
extern const KeySet require_statement;
extern const KeySet loop_statement;
extern const KeySet lod_statement;
extern const KeySet example;
extern const KeySet reference;

/// All of them, in the order of the reference page.
std::vector<const KeySet*> all();
const std::vector<ValueType>& types();

/// What replaces a key of earlier specs, for a message: "'opset'"; "" for other words.
std::string replacement(const std::string& key);
}  // namespace keys

}  // namespace opgen
