// The temporary names that exist now, for removal in signal handlers.
#pragma once

#include <string>

namespace fluid2onnx {

/// Long names and all beyond the first few are not remembered: they stay when the process is ended by a signal.
void remember_temporary(const std::string& path);
void forget_temporary(const std::string& path);

}  // namespace fluid2onnx
