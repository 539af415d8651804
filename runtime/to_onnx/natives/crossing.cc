#include "runtime/to_onnx/natives/crossing.h"

#include <algorithm>
#include <utility>

#include "runtime/to_onnx/natives/elements.h"

namespace fluid2onnx::natives {

Value as_scalar(OpContext& op, Value one_element) { return op.node("Reshape", {one_element, Ints{}}, {}, 1).front(); }

Value tensor_lengths(BlockContext& context, const Held& held, size_t level) {
  if (level >= held.lod.size()) return context.tensor(Operand(Ints{}), Dtype::int64);
  if (held.lod[level]) return held.lod[level];
  const bool innermost = level + 1 == held.lod.size();
  return context.tensor(Operand(Dims{innermost ? context.dim(held.value, 0) : Dim(1)}), Dtype::int64);
}

Crossing::Crossing(BlockContext& context, size_t variables)
    : context_(context), outside_(context.graph()), variables_(variables) {}

bool Crossing::plan(const std::vector<Ends>& ends) {
  std::vector<Variable> next;
  for (size_t i = 0; i < ends.size(); ++i) next.push_back(planned(variables_[i], ends[i]));
  return std::exchange(variables_, next) == next;
}

Crossing::Variable Crossing::planned(const Variable& before, const Ends& ends) const {
  const Lod &one = ends.one.lod, &other = ends.other.lod;
  const bool both = ends.one.value && ends.other.value && !one.empty() && !other.empty();
  Variable result;
  result.given_up = before.given_up || (both && one.size() != other.size());
  if (result.given_up) return result;
  for (size_t i = 0; i < std::max(one.size(), other.size()); ++i) {
    const Value v = i < one.size() ? one[i] : other[i];
    const bool outside = !v || context_.graph_of(v) <= outside_;
    const bool crossed = i < before.levels.size() && before.levels[i].crosses;
    const bool same = both ? v == other[i] : outside;
    result.levels.push_back(same && !crossed ? Level{false, v} : Level{true, {}});
  }
  return result;
}

Values Crossing::pack(const std::vector<Held>& all) {
  Values packed;
  for (const Held& held : all) packed.push_back(held.value);
  for (size_t i = 0; i < all.size(); ++i) {
    for (size_t level = 0; level < variables_[i].levels.size(); ++level) {
      if (variables_[i].levels[level].crosses) packed.push_back(lengths(all[i], level));
    }
  }
  return packed;
}

std::vector<Held> Crossing::unpack(const Values& packed) const {
  std::vector<Held> all;
  size_t next = variables_.size();
  for (size_t i = 0; i < variables_.size(); ++i) {
    Held held{packed[i]};
    for (const Level& level : variables_[i].levels) held.lod.push_back(level.crosses ? packed[next++] : level.same);
    all.push_back(std::move(held));
  }
  return all;
}

Value Crossing::lengths(const Held& held, size_t level) {
  const bool array = context_.is_sequence(held.value);
  if (level < held.lod.size() && held.lod[level]) return held.lod[level];
  if (array && level >= held.lod.size()) return no_lengths(context_, held.value);
  if (array) {
    context_.refuse(E_LOD, "a tensor array contains other sequences than the one of --lod single; use --lod lengths");
  }
  return tensor_lengths(context_, held, level);
}

}  // namespace fluid2onnx::natives
