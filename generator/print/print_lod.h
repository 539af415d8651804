// C++ from opspecs/facts/lod.json: which results have the LoD of an operand.
#pragma once

#include <map>
#include <string>

#include "generator/spec/facts.h"

namespace opgen {

/// Files by path below the output folder, as print_cpp().
std::map<std::string, std::string> print_lod(const Facts& facts, const std::string& templates);

}  // namespace opgen
