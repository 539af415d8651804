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

/// "'erf' needs opset 9 or later".
inline std::string needs_opset_text(const std::string& what, int opset, bool or_later = true) {
  return what + " needs opset " + std::to_string(opset) + (or_later ? " or later" : " or earlier");
}

/// `what` exists from opset `lowest` on.
inline Refused needs_opset(const std::string& what, int lowest) {
  return {E_OPSET, needs_opset_text(what, lowest), lowest};
}

}  // namespace fluid2onnx
