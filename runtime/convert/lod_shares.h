// Which results of Paddle's operators have the LoD of an operand, from opspecs/facts/lod.json.
#pragma once

#include <string_view>

namespace fluid2onnx {

struct LodShare {
  std::string_view op;
  std::string_view result = "Out", operand = "X";  ///< slots
  bool first = true;  ///< of the operand's first tensor; else of the one at the result's own index
};

/// Null when Paddle gives the result none.
const LodShare* find_lod_share(std::string_view op, std::string_view result);

}  // namespace fluid2onnx
