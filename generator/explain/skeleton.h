// `opgen new`: a draft of a spec from the facts about an operator.
#pragma once

#include <string>

#include "generator/spec/facts.h"

namespace opgen {

/// A spec with the slots, attributes and parameters of an operator and an example; its doc, recipe and sizes are to be
/// written. An ONNX operator is recognised by its name. `why` is the reason for which the operator has no spec yet, if
/// one is noted.
std::string skeleton(const std::string& op, const OpFact& fact, const Facts& facts, const std::string& why);

}  // namespace opgen
