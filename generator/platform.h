// Platform-specific calls.
#pragma once

#include <string>
#include <vector>

namespace opgen::platform {

/// Sets the standard streams to bytes, and the terminal to UTF-8.
void prepare_streams();

/// Replaces this process by a Python script. Returns the script's exit code on systems that cannot replace a process,
/// and -1 with errno if it cannot be run.
int become(const std::string& script, std::vector<std::string> arguments);

}  // namespace opgen::platform
