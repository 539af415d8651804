#include "runtime/convert/lod.h"

#include <algorithm>

namespace fluid2onnx {

Values all_lengths(OpContext& op, std::string_view slot, int64_t level) {
  Values all;
  const auto count = static_cast<int64_t>(op.inputs(slot).size());
  for (int64_t i = 0; i < count; ++i) all.push_back(op.lengths(slot, level, i));
  return all;
}

int64_t least_lod_level(OpContext& op, std::string_view slot) {
  const auto count = static_cast<int64_t>(op.inputs(slot).size());
  int64_t least = op.lod_level(slot);
  for (int64_t i = 1; i < count; ++i) least = std::min(least, op.lod_level(slot, i));
  return least;
}

Values lod_of(OpContext& op, std::string_view slot) {
  Values all;
  const int64_t levels = op.lod_level(slot);
  for (int64_t level = 0; level < levels; ++level) all.push_back(op.lengths(slot, level));
  return all;
}

void set_all_lengths(OpContext& op, std::string_view slot, const Values& lengths) {
  for (size_t i = 0; i < lengths.size(); ++i) op.set_lod(slot, {lengths[i]}, static_cast<int64_t>(i));
}

}  // namespace fluid2onnx
