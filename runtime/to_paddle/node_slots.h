// A node of ONNX as a converter reads it: in the form of its operator's newest version, whatever version wrote it.
#pragma once

#include <onnx/onnx_pb.h>

#include <functional>

#include "runtime/convert/operator_slots.h"
#include "runtime/onnx/graph/emitter.h"
#include "runtime/to_paddle/onnx_operators.h"

namespace fluid2onnx {

struct OnnxNode {
  const OnnxOperator* op = nullptr;
  std::string name;  ///< what its results are named after
  Values inputs;     ///< absent: left out
  Strings outputs;   ///< "" or missing: not wanted
  std::vector<const onnx::AttributeProto*> attributes;
};

class NodeSlots : public OperatorSlots {
 public:
  /// Gives the numbers of a tensor that is an attribute.
  using TensorOf = std::function<Tensor(const onnx::TensorProto&)>;

  NodeSlots(const OnnxNode& node, Emitter& emitter, TensorOf tensor_of);

  const std::string& type() const override { return type_; }
  Values inputs(std::string_view slot) const override;
  Strings outputs(std::string_view slot) const override;
  bool used(std::string_view slot) const override;
  Dtype declared_dtype(std::string_view) const override { return Dtype::undefined; }
  std::string name() const override { return node_.name; }

  bool has_attr(std::string_view name) const override { return attribute(name) != nullptr; }
  std::optional<bool> get_bool(std::string_view name) const override;
  std::optional<int64_t> get_int(std::string_view name) const override;
  std::optional<double> get_float(std::string_view name) const override;
  std::optional<std::string> get_string(std::string_view name) const override;
  std::optional<Dtype> get_dtype(std::string_view name) const override;
  std::optional<Ints> get_ints(std::string_view name) const override;
  std::optional<Floats> get_floats(std::string_view name) const override;
  std::optional<Strings> get_strings(std::string_view name) const override;
  Values get_values(std::string_view) const override { return {}; }

  /// Under its own name, or the one that older versions have for it; null when it is not given.
  const onnx::AttributeProto* attribute(std::string_view name) const;

 private:
  Value constant_of(const onnx::AttributeProto& attribute) const;

  const OnnxNode& node_;
  Emitter& emitter_;
  TensorOf tensor_of_;
  std::string type_;
};

}  // namespace fluid2onnx
