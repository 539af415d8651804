// The model, or one of its operators, cannot be converted as asked.
#pragma once

#include <string>
#include <string_view>

#include "runtime/support/error.h"

namespace fluid2onnx {

class Refused : public Error {
 public:
  /// `lowest_opset`: with this opset or a newer one it can be converted; 0 when no opset helps.
  Refused(ErrorCode code, std::string_view message, int lowest_opset = 0)
      : Error(code, message), lowest_opset_(lowest_opset) {}

  int lowest_opset() const { return lowest_opset_; }

 private:
  int lowest_opset_;
};

/// `what` exists from opset `lowest` on.
inline Refused needs_opset(const std::string& what, int lowest) {
  return {E_OPSET, what + " needs opset " + std::to_string(lowest) + " or later", lowest};
}

}  // namespace fluid2onnx
