#include "runtime/to_onnx/natives/body_signature.h"

#include <algorithm>
#include <utility>

#include "runtime/to_onnx/natives/loop_arrays.h"

namespace fluid2onnx::natives {

Value as_scalar(OpContext& op, Value one_element) { return op.node("Reshape", {one_element, Ints{}}); }

Value tensor_lengths(BlockContext& context, const ValueWithLod& held, size_t level) {
  if (level >= held.lod.size()) return context.tensor(Operand(Ints{}), Dtype::int64);
  if (held.lod[level]) return held.lod[level];
  const bool innermost = level + 1 == held.lod.size();
  return context.tensor(Operand(Dims{innermost ? context.dim(held.value, 0) : Dim(1)}), Dtype::int64);
}

BodySignature::BodySignature(BlockContext& context, size_t variables)
    : context_(context), outside_(context.model().current()), variables_(variables) {}

bool BodySignature::merge(const std::vector<ValueWithLod>& before, const std::vector<ValueWithLod>& after) {
  std::vector<Variable> next;
  for (size_t i = 0; i < before.size(); ++i) next.push_back(merged(variables_[i], before[i], after[i]));
  return std::exchange(variables_, next) == next;
}

BodySignature::Variable BodySignature::merged(const Variable& known, const ValueWithLod& before,
                                              const ValueWithLod& after) const {
  const Lod &one = before.lod, &other = after.lod;
  const bool both = before.value && after.value && !one.empty() && !other.empty();
  Variable result;
  result.given_up = known.given_up || (both && one.size() != other.size());
  if (result.given_up) return result;
  for (size_t i = 0; i < std::max(one.size(), other.size()); ++i) {
    const Value v = i < one.size() ? one[i] : other[i];
    const bool outside = !v || context_.model()[v].graph <= outside_;
    const bool passed = i < known.levels.size() && known.levels[i].passed;
    const bool same = both ? v == other[i] : outside;
    result.levels.push_back(same && !passed ? Level{false, v} : Level{true, {}});
  }
  return result;
}

Values BodySignature::pack(const std::vector<ValueWithLod>& all) {
  Values packed;
  for (const ValueWithLod& held : all) packed.push_back(held.value);
  for (size_t i = 0; i < all.size(); ++i) {
    for (size_t level = 0; level < variables_[i].levels.size(); ++level) {
      if (variables_[i].levels[level].passed) packed.push_back(lengths(all[i], level));
    }
  }
  return packed;
}

std::vector<ValueWithLod> BodySignature::unpack(const Values& packed) const {
  std::vector<ValueWithLod> all;
  size_t next = variables_.size();
  for (size_t i = 0; i < variables_.size(); ++i) {
    ValueWithLod held{packed[i]};
    for (const Level& level : variables_[i].levels) held.lod.push_back(level.passed ? packed[next++] : level.same);
    all.push_back(std::move(held));
  }
  return all;
}

Value BodySignature::lengths(const ValueWithLod& held, size_t level) {
  const bool array = context_.is_sequence(held.value);
  if (level < held.lod.size() && held.lod[level]) return held.lod[level];
  if (array && level >= held.lod.size()) return no_lengths(context_, held.value);
  if (array) {
    context_.refuse(E_LOD, "a tensor array contains other sequences than the one of --lod single; use --lod lengths");
  }
  return tensor_lengths(context_, held, level);
}

}  // namespace fluid2onnx::natives
