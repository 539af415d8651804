// Every key of the spec language. The parser, opspecs/spec.schema.json and its test go by these tables.
#pragma once

#include <string>
#include <vector>

namespace opgen {

struct Key {
  const char* name;
  bool required = false;
};

struct KeySet {
  const char* name;  ///< as in the schema's $defs
  const char* what;  ///< in messages: "an operator"
  std::vector<Key> keys;

  std::vector<std::string> names() const;
};

namespace keys {
extern const KeySet op;
extern const KeySet function;
extern const KeySet requirement;
extern const KeySet signature;
extern const KeySet variant;
extern const KeySet require;
extern const KeySet if_statement;
extern const KeySet elif_statement;
extern const KeySet for_statement;
extern const KeySet require_statement;
extern const KeySet loop_statement;
extern const KeySet branch_statement;
extern const KeySet lod_statement;
extern const KeySet example;
extern const KeySet tolerance;
extern const KeySet reference;

std::vector<const KeySet*> all();

/// What a key of earlier specs is called now, or "".
std::string renamed(const std::string& key);
}  // namespace keys

}  // namespace opgen
