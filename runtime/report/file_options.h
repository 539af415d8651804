// Which files a conversion reads and how it writes them.
#pragma once

#include <cstddef>
#include <string>

#include "runtime/onnx/write/weights.h"

namespace fluid2onnx {

struct FileOptions {
  std::string params;  ///< file or folder of the parameters; "": found beside the model
  Weights weights = Weights::automatic;
  bool check = true;     ///< by ONNX's checker, before the file appears
  size_t structure = 0;  ///< lines of Report::structure at most; 0: none
  bool sync = false;     ///< wait for the disk, so that the file survives a crash of the machine
};

}  // namespace fluid2onnx
