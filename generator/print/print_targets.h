// C++ from opspecs/targets: what other engines run.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "generator/spec/targets.h"

namespace opgen {

/// Files by path below the output folder, as print_cpp().
std::map<std::string, std::string> print_targets(const std::vector<TargetFile>& targets, const std::string& templates);

}  // namespace opgen
