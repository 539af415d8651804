// The signature that a spec states itself, as facts.
#pragma once

#include <optional>

#include "generator/spec/facts.h"

namespace opgen {

/// nullopt after a diagnostic.
std::optional<OpFact> declared_fact(const Signature& signature, Diagnostics& diagnostics);

}  // namespace opgen
