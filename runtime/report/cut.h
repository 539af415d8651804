// Where to cut a model that can be converted only in part.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace fluid2onnx {

struct Cut {
  std::vector<std::string> outputs;  ///< variables, as --outputs takes them; empty: no cut helps
  int64_t operators = 0;             ///< that the model then has
};

/// "hint: use --outputs a,b, which omits what cannot be converted, and converts 17 of 19 operators", with a newline.
std::string cut_text(const Cut& cut, int64_t of);

}  // namespace fluid2onnx
