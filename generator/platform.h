// What not every system has.
#pragma once

#include <string>
#include <vector>

namespace opgen::platform {

/// Standard streams take bytes as they are, and a terminal shows them as UTF-8.
void prepare_streams();

/// Runs a Python script instead of this program. Comes back with its exit code where systems cannot do that, and with
/// -1 and errno when it cannot be run.
int become(const std::string& script, std::vector<std::string> arguments);

}  // namespace opgen::platform
