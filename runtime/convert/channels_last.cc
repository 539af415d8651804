#include "runtime/convert/channels_last.h"

namespace fluid2onnx {
namespace {

Value transpose(OpContext& op, Value x, const Ints& perm) { return op.node("Transpose", {x}, {{"perm", perm}}); }

}  // namespace

bool is_channels_last(const std::string& layout) {
  return layout.size() > 2 && layout.front() == 'N' && layout.back() == 'C';
}

Value to_channels_first(OpContext& op, Value x, bool channels_last) {
  if (!channels_last || !x || op.rank(x) < 3) return x;
  Ints perm{0, op.rank(x) - 1};
  for (int64_t i = 1; i < op.rank(x) - 1; ++i) perm.push_back(i);
  return transpose(op, x, perm);
}

Operand from_channels_first(OpContext& op, Value x, bool channels_last) {
  if (!channels_last || !x || op.rank(x) < 3) return x;
  Ints perm{0};
  for (int64_t i = 2; i < op.rank(x); ++i) perm.push_back(i);
  perm.push_back(1);
  return transpose(op, x, perm);
}

}  // namespace fluid2onnx
