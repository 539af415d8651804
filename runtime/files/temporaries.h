// The temporary names that exist now, known to whoever has to remove them in a hurry.
#pragma once

#include <string>

namespace fluid2onnx {

/// Long names and all beyond the first few are not remembered: they stay when the process is ended by a signal.
void remember_temporary(const std::string& path);
void forget_temporary(const std::string& path);

}  // namespace fluid2onnx
