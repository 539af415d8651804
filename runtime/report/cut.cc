#include "runtime/report/cut.h"

#include "runtime/support/text.h"

namespace fluid2onnx {

std::string cut_text(const Cut& cut, int64_t of) {
  constexpr size_t kMost = 8;
  std::string text = "hint: use --outputs ";
  for (size_t i = 0; i < std::min(kMost, cut.outputs.size()); ++i) text += (i ? "," : "") + cut.outputs[i];
  if (cut.outputs.size() > kMost) {
    text += ",... (" + std::to_string(cut.outputs.size()) + " variables, which --json lists)";
  }
  return text + ", which omits what cannot be converted, and converts " + std::to_string(cut.operators) + " of " +
         count_of(static_cast<size_t>(of), "operator") + "\n";
}

}  // namespace fluid2onnx
