// The texts of operands in examples: `float32[2, 3] in [0, 1) sorted`, `int64[2] = [4, 5]`.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "generator/spec/example.h"

namespace opgen {

/// nullopt after a diagnostic.
std::optional<TensorExample> parse_tensor(const Text& text, Diagnostics& diagnostics);

const std::vector<std::string>& dtype_names();

}  // namespace opgen
