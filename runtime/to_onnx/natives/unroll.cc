#include "runtime/to_onnx/natives/unroll.h"
#include "runtime/support/limits.h"

#include <optional>
#include <utility>
#include <vector>

namespace fluid2onnx::natives {
namespace {

constexpr int kUnrolledArrays = 11;  // with an ONNX sequence, an array's elements are known one by one

std::optional<bool> known_condition(OpContext& op, Value condition) {
  if (!condition || !op.is_const(condition)) return std::nullopt;
  const Ints elements = op.const_ints(op.node("Cast", {condition}, {Attr("to", Dtype::int64)}, 1).front());
  return elements.size() == 1 ? std::optional(elements[0] != 0) : std::nullopt;
}

}  // namespace

bool unroll(BlockContext& context, int32_t body, const std::string& condition, const Strings& carried) {
  std::optional<bool> again = known_condition(context, context.input("Condition"));
  if (!again || context.opset() < kUnrolledArrays) return false;
  context.bring_in_reads(body);
  std::vector<Held> state;
  for (const std::string& name : carried) state.push_back(context.held(name));
  Strings wanted = carried;
  wanted.push_back(condition);
  bool tried = false;
  context.emit_until([&] {
    if (std::exchange(tried, true)) return true;
    // Without a value, each iteration writes it before it reads it.
    for (size_t i = 0; i < carried.size(); ++i) {
      if (!state[i].value) state[i] = {context.zeros_like(carried[i])};
    }
    const size_t nodes = context.node_count();
    for (int i = 0; again.value_or(false) && i < limits::kUnrolledIterations; ++i) {
      if (context.node_count() > nodes + limits::kUnrolledNodes) return false;
      std::vector<std::pair<std::string, Held>> given;
      for (size_t j = 0; j < carried.size(); ++j) given.emplace_back(carried[j], state[j]);
      state = context.run_block(body, given, wanted);
      again = known_condition(context, state.back().value);
      state.pop_back();
    }
    return again.has_value() && !*again;
  });
  if (!again || *again) return false;
  for (size_t i = 0; i < carried.size(); ++i) context.set_variable(carried[i], state[i]);
  return true;
}

}  // namespace fluid2onnx::natives
