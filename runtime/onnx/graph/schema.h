// The ONNX schema of one operator, prepared for fast look-ups.
#pragma once

#include <onnx/defs/schema.h>

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/onnx/graph/opsets.h"
#include "runtime/support/dtype.h"

namespace fluid2onnx {

/// A set of dtypes.
class DtypeSet {
 public:
  void add(Dtype d) { bits_ |= bit(d); }
  bool has(Dtype d) const { return (bits_ & bit(d)) != 0; }
  bool empty() const { return bits_ == 0; }
  /// The only member, or undefined.
  Dtype only() const;
  std::string to_string() const;

 private:
  static uint64_t bit(Dtype d) { return uint64_t{1} << static_cast<int>(d); }
  uint64_t bits_ = 0;
};

struct SchemaParam {
  std::string name;
  int variable = -1;  ///< the type variable, -1: a fixed type, or a variadic list of mixed types
  DtypeSet dtypes;    ///< of tensors; empty when it takes none
  bool optional = false;
  bool variadic = false;
  bool tensors_only = true;
};

struct Schema {
  const onnx::OpSchema* onnx = nullptr;
  std::vector<SchemaParam> inputs;
  std::vector<SchemaParam> outputs;
  std::vector<std::string> variables;  ///< names of the type variables
  int main_variable = -1;              ///< the first that admits more than one dtype
  onnx::InferenceFunction infer;       ///< null if missing
  onnx::DataPropagationFunction propagate;

  /// Operand i; the last one is also that of a variadic list. Null when there are not that many.
  const SchemaParam* input(size_t i) const { return at(inputs, i); }
  const SchemaParam* output(size_t i) const { return at(outputs, i); }

 private:
  static const SchemaParam* at(const std::vector<SchemaParam>& list, size_t i);
};

/// The schema of an operator of the default domain as the opset has it; null if that has none.
const Schema* find_schema(std::string_view op, int opset);

/// The lowest opset above `opset` that has the operator, with a schema that `fits`; 0 if none does.
int first_opset_with(
    std::string_view op, int opset,
    const std::function<bool(const Schema&)>& fits = [](const Schema&) { return true; });

}  // namespace fluid2onnx
