// The table by which the runtime reads programs of Paddle 3's IR as Fluid's.
#pragma once

#include <map>
#include <string>

#include "generator/spec/facts.h"

namespace opgen {

/// Files by path below the output folder, as print_cpp().
std::map<std::string, std::string> print_pir(const Facts& facts, const std::string& templates);

}  // namespace opgen
