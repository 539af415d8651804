// Which files a conversion reads and how it writes them.
#pragma once

#include <cstddef>
#include <string>

#include "runtime/onnx/write/weights.h"

namespace fluid2onnx {

struct FileOptions {
  std::string params;  ///< file or folder of the parameters; "": the parameters beside the model
  Weights weights = Weights::automatic;
  size_t structure = 0;  ///< maximum number of lines in Report::structure; 0: none
  bool sync = false;     ///< wait for the disk, so that the file survives a power failure
};

}  // namespace fluid2onnx
