// Which nodes a target refuses, and why.
#pragma once

#include <onnx/onnx_pb.h>

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "runtime/support/dtype.h"
#include "runtime/targets/targets.h"

namespace fluid2onnx {

/// What a target may refuse.
enum class TargetProblemKind : uint8_t {
  model_opset,
  input,
  domain,
  op,
  opset,
  dtype,
  attribute,
  rank,
  constant,
  port
};

/// What is known of the values of a node. Operands that are asked for are not omitted.
class NodeValues {
 public:
  virtual ~NodeValues() = default;
  /// Null if unknown.
  virtual const onnx::TypeProto* operand_type(const onnx::NodeProto& node, int i) const = 0;
  virtual const onnx::TypeProto* result_type(const onnx::NodeProto& node, int i) const = 0;
  virtual bool is_constant(const onnx::NodeProto& node, int operand) const = 0;
};

/// One reason. The hint may be empty.
using RefuseNode = std::function<void(TargetProblemKind kind, std::string message, std::string hint)>;

/// Calls `refuse` for each reason for which the target refuses the node at the opset.
void check_node(const Target& target, int opset, const onnx::NodeProto& node, const NodeValues& values,
                const RefuseNode& refuse);

/// True if the target has the operator at the opset, for operands of this dtype (undefined: any) in the type variable
/// of its first operand.
bool has_operator(const Target& target, int opset, std::string_view op, Dtype dtype);

}  // namespace fluid2onnx
