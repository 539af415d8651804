// `reference:` of an example: the program that Paddle runs for an operator that it no longer has.
#pragma once

#include <vector>

#include "generator/spec/example.h"

namespace opgen {

/// `example` has its operands and outputs already. A name in a step is a slot of the example (of a list: all of it, or
/// one tensor as NAME.INDEX), a result of an earlier step, or an output to be compared.
std::vector<ReferenceStep> check_reference(const YamlNode& node, const CheckedExample& example, const OpFact& fact,
                                           const Facts& facts, Diagnostics& diagnostics);

}  // namespace opgen
