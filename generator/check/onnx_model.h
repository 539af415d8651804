// What ONNX's operators are at each opset, from ONNX's own schema registry and opspecs/facts/onnx.yaml.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "generator/diagnostics/diagnostics.h"
#include "generator/expr/types.h"
#include "generator/spec/opsets.h"

namespace opgen {

struct OnnxOperand {
  std::string name;
  bool optional = false;
  bool variadic = false;
  std::set<std::string> dtypes;  ///< that it may have; empty: unspecified
  std::string type;              ///< operands of the same have one dtype; empty: unspecified
};

struct OnnxAttr {
  enum class Type : uint8_t { integer, floating, string, integers, floats, strings, tensor, other };
  std::string name;
  Type type = Type::other;
  bool required = false;
  nlohmann::json default_value;  ///< null: none
  /// What a recipe gives for it; unknown for tensors and graphs.
  opgen::Type value_type() const;
};

/// "ints"; "" for tensors and graphs.
std::string name_of(OnnxAttr::Type type);

/// One version of an operator: the opsets first..last.
struct OnnxVersion {
  int first = 1;
  int last = newest_opset();
  std::vector<OnnxOperand> inputs, outputs;
  std::map<std::string, OnnxAttr> attrs;
};

/// How an operand or attribute of the newest version maps to the older versions of its group.
struct Adaptation {
  enum class Kind : uint8_t {
    input_was_attr,  ///< below `since`, input `index` was attribute `old_name`
    input_added,     ///< input `index` cannot be given below `since`
    input_required,  ///< below `since`, input `index` must be given: an empty tensor when it is left out
    attr_added,      ///< below `since`, attribute `name` can only have its default
    attr_renamed,    ///< below `since`, attribute `name` was `old_name`
    value_added,     ///< attribute `name` can be `value` from `since` on
  };
  Kind kind;
  int since = 0;
  size_t index = 0;
  std::string name;
  std::string old_name;
  OnnxAttr::Type type = OnnxAttr::Type::other;
  nlohmann::json default_value;
  std::string value;
};

/// Versions with the same meaning: a call written for the newest can be emitted in all of them.
struct OnnxGroup {
  std::string op;
  std::string builder;       ///< name of the C++ builder: "Softmax", or "Softmax_11" for a superseded group
  int first = kOldestOpset;  ///< of the opsets that are written; models of older ones are read
  int last = newest_opset();
  std::vector<OnnxVersion> versions;  ///< oldest first
  std::vector<Adaptation> adaptations;
  bool has_subgraphs = false;
  bool has_body = false;  ///< the schema defines the newest version by other operators
  /// Names of the newest version, and the attributes for it in older ones, also obsolete ones.
  std::vector<std::pair<std::string, std::string>> older;
  int reads_from = 0;        ///< models have it from this opset on, before ONNX does; 0: they do not
  bool reads_older = false;  ///< a node of the group before it has the same meaning in this one
  const OnnxVersion& newest() const { return versions.back(); }
};

/// True if its nodes give a list of results.
bool gives_many(const OnnxGroup& group);
/// The attribute whose axes schemas allow to be negative from 11 on only; null if missing.
const char* axes_from_front(const OnnxGroup& group);

class OnnxModel {
 public:
  /// Reads onnx.yaml and onnxruntime-contrib.json of opspecs/facts; the registry is linked in.
  static OnnxModel load(const std::string& folder, Diagnostics& diagnostics);

  /// The same for files that were read; null: that failed.
  static OnnxModel load(const Source& facts, const Source& contrib, Diagnostics& diagnostics);

  /// The group whose newest version is `version` (0: the newest of all); nullptr if missing.
  const OnnxGroup* find(const std::string& op, int version) const;
  bool exists(const std::string& op) const { return groups_.count(op) > 0; }
  std::vector<std::string> names() const;
  /// The group whose versions are just below; nullptr if missing.
  const OnnxGroup* before(const OnnxGroup& group) const;
  /// Versions of the groups of `op`, for messages.
  std::vector<int> versions(const std::string& op) const;

 private:
  std::map<std::string, std::vector<OnnxGroup>> groups_;
};

}  // namespace opgen
