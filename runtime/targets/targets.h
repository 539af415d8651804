// What other engines run, from opspecs/targets.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace fluid2onnx {

/// One fact about an ONNX operator. Rows of an operator are consecutive and begin with `runs`.
struct TargetFact {
  enum class Kind : uint8_t {
    runs,       ///< the target has the operator
    opsets,     ///< in the opsets first..last; several rows are alternatives
    dtypes,     ///< type variable `name` has one of the dtypes `values`
    attribute,  ///< attribute `name` has one of `values`
    ranks,      ///< operand `name` has a rank of first..last
    constant,   ///< the operands `values` are constants
    without,    ///< the operands and results `values` are absent
    note,       ///< advice: `values`
  };
  std::string_view op;
  Kind kind;
  std::string_view name{}, values{};  ///< values are separated by spaces
  int first = 0, last = 0;
};

/// A version of an engine.
struct Target {
  std::string_view name, title, version, source;
  int oldest_opset, newest_opset, best_opset;
  bool dynamic;               ///< inputs may have dynamic dimensions
  std::string_view fallback;  ///< what happens to refused nodes; empty if nothing runs them
  std::string_view domains;   ///< whose operators are not judged
  std::string_view unjudged;  ///< operators without facts
  std::span<const TargetFact> facts;

  /// The rows of an operator; empty if the target does not have it.
  std::span<const TargetFact> facts_of(std::string_view op) const;
  bool is_unjudged(std::string_view op) const;
  /// "tract 0.23.9"
  std::string text() const;
};

/// Sorted by name, then with the newest version first.
std::span<const Target> all_targets();

/// The newest version of each target, by name.
std::vector<const Target*> newest_targets();

/// Their names.
std::vector<std::string> target_names();

/// NAME or NAME@VERSION, whose version may be a prefix ("opencv@5"); without a version, the newest. Throws E_USAGE.
const Target& find_target(std::string_view name);

/// True if a list of words separated by spaces contains the word.
bool has_word(std::string_view words, std::string_view word);

}  // namespace fluid2onnx
