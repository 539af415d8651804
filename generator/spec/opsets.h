// The opsets that recipes are for.
#pragma once

#include <string>

#include "generator/spec/spec.h"

namespace opgen {

/// Older opsets have other attributes and broadcasting rules.
constexpr int kOldestOpset = 7;
/// The newest of the ONNX library that is built against.
int newest_opset();

struct OpsetRange {
  int first = kOldestOpset;
  int last = newest_opset();
  std::string why_first;  ///< the operator or function that needs `first`: "Trilu"; empty for the lowest of all
  bool empty() const { return first > last; }
};

/// "20+", "11..12", "13"; all of them for an empty text. False after a diagnostic.
bool parse_opsets(const Text& text, Diagnostics& diagnostics, OpsetRange* out);

}  // namespace opgen
