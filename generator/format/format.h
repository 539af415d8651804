// The canonical form of spec files: what `opgen fmt` writes.
#pragma once

#include <optional>
#include <string>

#include "generator/diagnostics/diagnostics.h"

namespace opgen {

/// The widest line that is not broken.
inline constexpr size_t kSpecWidth = 120;

/// The text of a spec file without quotes that YAML does not need, without blanks at ends of lines, and with long
/// lines broken where they hold the least together. Comments and contents are kept; nothing after a diagnostic.
std::optional<std::string> format_spec(const Source& source, Diagnostics& diagnostics);

}  // namespace opgen
