// Lowered code as text.
#pragma once

#include <functional>
#include <string>

#include "generator/lower/names.h"

namespace opgen::lowered {

/// A routine, its head first. With `shape` what may differ between rows that share code is left open: constants, and
/// which node of ONNX it is; variables are numbered.
std::string dump(const Routine& routine, bool shape = false);

}  // namespace opgen::lowered
