// The values of attributes in examples.
#pragma once

#include <functional>

#include "generator/spec/example.h"
#include "generator/spec/facts.h"

namespace opgen {

/// The attributes that an example gives, and Paddle's defaults for the others. `optional`: whether an attribute without
/// a default may be left out because a tensor gives its value. `reported`: whether the missing attribute was
/// reported elsewhere.
AttrExamples check_attrs(const YamlNode* node, const std::string& op, const OpFact& fact,
                         const std::function<bool(const AttrFact&)>& optional,
                         const std::function<bool(const std::string&)>& reported, const Span& place,
                         Diagnostics& diagnostics);

}  // namespace opgen
