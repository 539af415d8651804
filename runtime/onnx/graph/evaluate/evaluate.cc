#include "runtime/onnx/graph/evaluate/evaluate.h"

#include <algorithm>
#include <limits>
#include <unordered_map>

#include "runtime/onnx/graph/attributes.h"
#include "runtime/onnx/graph/evaluate/evaluators.h"

namespace fluid2onnx::evaluation {

const Evaluator* find_evaluator(std::string_view op) {
  static const auto* table = [] {
    auto* t = new std::unordered_map<std::string_view, Evaluator>();
    for (const auto& list : {arithmetic_evaluators(), comparison_evaluators(), unary_evaluators(), cast_evaluators(),
                             reshape_evaluators(), movement_evaluators(), selection_evaluators(),
                             reduction_evaluators(), generation_evaluators(), quantisation_evaluators()}) {
      for (const Evaluator& evaluator : list) t->emplace(evaluator.op, evaluator);
    }
    return t;
  }();
  const auto found = table->find(op);
  return found == table->end() ? nullptr : &found->second;
}

bool certainly_evaluates(std::string_view op, const std::vector<Tensor>& inputs, const Attrs& attrs) {
  const Evaluator* evaluator = find_evaluator(op);
  if (!evaluator || !evaluator->lazy || inputs.empty()) return false;
  const Dtype dtype = inputs[0].dtype();
  const bool number = is_integer(dtype) || dtype == Dtype::float32 || dtype == Dtype::float64;
  if (op == "Add" || op == "Sub" || op == "Mul" || op == "Neg" || op == "Abs") return number;
  if (op == "Div" || op == "Sqrt" || op == "Reciprocal") return dtype == Dtype::float32 || dtype == Dtype::float64;
  if (op == "QuantizeLinear") return inputs.size() == 3 && scale_fits(inputs[0], inputs[1], inputs[2], attrs);
  if (op == "Pad") return inputs.size() == 1 && pad_fits(inputs[0], attrs);
  if (op == "Cast") {
    const AttrValue* attr = find_attr(attrs, "to");
    const auto to = attr ? static_cast<Dtype>(std::get<int64_t>(*attr)) : Dtype::undefined;
    if (!number && dtype != Dtype::bool_ && dtype != Dtype::float16 && dtype != Dtype::bfloat16) return false;
    if (to == Dtype::float32 || to == Dtype::float64) return true;
    if (is_integer(to)) return dtype == Dtype::float32 && in_range(inputs[0], to);
    return (to == Dtype::float16 || to == Dtype::bfloat16) && dtype == Dtype::float32;
  }
  return dtype_size(dtype) > 0;  // moves bytes
}

Results evaluate(const Call& call) {
  const Evaluator* evaluator = find_evaluator(call.op);
  auto results = evaluator ? evaluator->evaluate(call) : std::nullopt;
  if (results && static_cast<int>(results->size()) < call.outputs) return std::nullopt;
  return results;
}

const AttrValue* Call::attr(std::string_view name) const { return find_attr(*attrs, name); }

int64_t Call::attr_int(std::string_view name, int64_t default_value) const {
  const AttrValue* value = attr(name);
  const auto* number = value ? std::get_if<int64_t>(value) : nullptr;
  return number ? *number : default_value;
}

std::optional<Ints> Call::ints(size_t i, std::string_view attr_name) const {
  if (const Tensor* t = input(i)) return t->as_ints();
  const AttrValue* value = attr(attr_name);
  const auto* list = value ? std::get_if<Ints>(value) : nullptr;
  if (!list) return std::nullopt;
  return *list;
}

Ints strides_of(const Ints& dims) {
  Ints strides(dims.size());
  int64_t step = 1;
  for (size_t i = dims.size(); i-- > 0;) {
    strides[i] = step;
    step *= dims[i];
  }
  return strides;
}

std::optional<Ints> broadcast(const Ints& a, const Ints& b) {
  Ints out(std::max(a.size(), b.size()));
  for (size_t i = 0; i < out.size(); ++i) {
    const int64_t x = i < a.size() ? a[a.size() - 1 - i] : 1;
    const int64_t y = i < b.size() ? b[b.size() - 1 - i] : 1;
    if (x != y && x != 1 && y != 1) return std::nullopt;
    out[out.size() - 1 - i] = x == 1 ? y : x;
  }
  return out;
}

Ints broadcast_strides(const Ints& dims, const Ints& out) {
  const Ints own = strides_of(dims);
  Ints strides(out.size(), 0);
  const size_t shift = out.size() - dims.size();
  for (size_t i = 0; i < dims.size(); ++i) strides[i + shift] = dims[i] == 1 ? 0 : own[i];
  return strides;
}

bool too_large(const Call& call, const Ints& dims, Dtype dtype) {
  int64_t bytes = static_cast<int64_t>(dtype_size(dtype));
  for (const int64_t d : dims) {
    if (d < 0) return true;
    if (d == 0) return false;
  }
  for (const int64_t d : dims) {
    if (bytes > std::numeric_limits<int64_t>::max() / d) return true;
    bytes *= d;
  }
  return bytes > call.most_bytes;
}

}  // namespace fluid2onnx::evaluation
