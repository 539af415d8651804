// Evaluation of ONNX nodes whose operands are constants, at conversion time.
//
// An evaluator computes exactly what the operator's specification defines (integers wrap, Div truncates, Round rounds
// half to even), or nothing: an unsupported dtype or attribute, or operands that would be an error at run time.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "runtime/onnx/graph/tensor.h"

namespace fluid2onnx::evaluation {

constexpr int64_t kNoLimit = INT64_MAX;

struct Call {
  std::string_view op;
  int opset = 0;
  std::vector<const Tensor*> inputs;  ///< null: left out
  const Attrs* attrs = nullptr;
  int outputs = 1;
  int64_t most_bytes = kNoLimit;  ///< give up on larger results

  const Tensor* input(size_t i) const { return i < inputs.size() ? inputs[i] : nullptr; }
  const AttrValue* attr(std::string_view name) const;
  int64_t attr_int(std::string_view name, int64_t default_value) const;
  /// The ints of operand i if it is given, else of the attribute; nothing when neither is.
  std::optional<Ints> ints(size_t i, std::string_view attr_name) const;
};

using Results = std::optional<std::vector<Tensor>>;

struct Evaluator {
  std::string_view op;
  Results (*evaluate)(const Call&);
  bool lazy = false;       ///< only moves, scales or rounds elements: may wait until a large weight is written
  bool dims_only = false;  ///< the results share the bytes of an operand, so that size does not matter
  bool shrinks = false;    ///< the result may be so much smaller that large constants are worth reading
};
/// The evaluator of the operator, or null.
const Evaluator* find_evaluator(std::string_view op);

/// True if the evaluator is lazy and has a result for such operands whatever their elements. An omitted operand has no
/// dtype.
bool certainly_evaluates(std::string_view op, const std::vector<Tensor>& inputs, const Attrs& attrs);
Results evaluate(const Call& call);

/// True if the evaluator of QuantizeLinear takes these operands.
bool scale_fits(const Tensor& x, const Tensor& scale, const Tensor& zero_point, const Attrs& attrs);

/// True if the evaluator of Pad takes this operand, with its pads in the attributes.
bool pad_fits(const Tensor& x, const Attrs& attrs);

}  // namespace fluid2onnx::evaluation
