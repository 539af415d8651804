// What other engines run: the files below opspecs/targets. See "Target files" in docs/spec-reference.md.
#pragma once

#include <string>
#include <vector>

#include "generator/spec/spec.h"

namespace opgen {

/// Integers `first`..`last`, both included.
struct TargetRange {
  int first = 0, last = 0;
  Span span;
};

/// The values that a type variable, an operand or an attribute may have.
struct TargetChoice {
  Text name;
  std::vector<Text> values;
};

struct TargetRanks {
  Text operand;
  TargetRange range;
};

/// An operator that the target runs, and its limits.
struct TargetOperator {
  Text op;
  std::vector<TargetRange> opsets;       ///< empty: all
  std::vector<TargetChoice> dtypes;      ///< by type variable; one that is absent has no limits
  std::vector<TargetChoice> attributes;  ///< values, by attribute
  std::vector<TargetRanks> ranks;
  std::vector<Text> constant;  ///< operands that must be constants
  std::vector<Text> without;   ///< operands and results that a node must not have
  Text note;                   ///< advice for users; may be empty
};

struct TargetFile {
  std::string file;
  Text name, title, version, source;
  TargetRange opsets;
  Text best_opset;
  int best = 0;
  bool dynamic = true;              ///< inputs may have dynamic dimensions
  Text fallback;                    ///< what happens to refused nodes; empty if nothing runs them
  std::vector<Text> domains;        ///< whose operators are not judged
  std::vector<Text> unjudged;       ///< operators without facts
  std::vector<TargetOperator> ops;  ///< sorted by name
};

/// All files below `folder`, sorted by name, then with the newest version first; paths are shown relative to `base`.
std::vector<TargetFile> read_targets(const std::string& folder, const std::string& base, Diagnostics& diagnostics);
/// One file; nothing after an error that leaves out its head.
void read_target(const Source& source, std::vector<TargetFile>& targets, Diagnostics& diagnostics);

}  // namespace opgen
