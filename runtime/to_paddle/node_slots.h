// The slots and attributes of an ONNX node, in the form of the operator's newest version.
#pragma once

#include <onnx/onnx_pb.h>

#include <functional>

#include "runtime/convert/operator_slots.h"
#include "runtime/onnx/graph/emitter.h"
#include "runtime/to_paddle/onnx_operators.h"

namespace fluid2onnx {

struct OnnxNode {
  const OnnxOperator* op = nullptr;
  std::string name;  ///< the base of its results' names
  Values inputs;     ///< absent: not given
  Strings outputs;   ///< "" or missing: unused
  std::vector<const onnx::AttributeProto*> attributes;
};

class NodeSlots : public OperatorSlots {
 public:
  /// Reads a tensor in an attribute.
  using TensorOf = std::function<Tensor(const onnx::TensorProto&)>;

  NodeSlots(const OnnxNode& node, Emitter& emitter, TensorOf tensor_of);

  const std::string& type() const override { return type_; }
  Values inputs(std::string_view slot) const override;
  Strings outputs(std::string_view slot) const override;
  bool used(std::string_view slot) const override;
  Dtype declared_dtype(std::string_view) const override { return Dtype::undefined; }
  std::string name() const override { return node_.name; }

  const Attribute* attribute(std::string_view name) const override;
  std::optional<Dtype> get_dtype(std::string_view name) const override;

  /// The attribute in the file, by its own name or the one that older versions have for it; null if missing.
  const onnx::AttributeProto* proto(std::string_view name) const;

 private:
  size_t position(std::string_view name) const;
  Value constant_of(const onnx::AttributeProto& attribute) const;

  const OnnxNode& node_;
  Emitter& emitter_;
  TensorOf tensor_of_;
  std::string type_;
  std::vector<Attribute> attributes_;  // in the order of the node
};

}  // namespace fluid2onnx
