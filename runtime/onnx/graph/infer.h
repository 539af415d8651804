// Types and shapes of a node's results, by the inference functions of ONNX's own schemas.
#pragma once

#include <onnx/onnx_pb.h>

#include <memory>
#include <string>
#include <vector>

#include "runtime/onnx/graph/graph.h"
#include "runtime/onnx/graph/schema.h"

namespace fluid2onnx {

using Types = google::protobuf::RepeatedPtrField<onnx::TypeProto>;

struct Inferred {
  Types types;  ///< per result; value not set when nothing is known
  /// What data propagation knows of the results' elements; null: nothing.
  std::vector<std::shared_ptr<const onnx::TensorShapeProto>> elements;
  std::string error;  ///< what the inference function objects to; empty: fine
};

/// All results are wanted. Bodies must be complete: their outputs' types are taken as they are. The types live in the
/// arena.
Inferred infer(const Model& model, const Schema& schema, const Node& node, google::protobuf::Arena* arena);

/// The denotation of the type of a sequence that no tensor has been put into: the shapes of its tensors
/// are unspecified, not different. Only ONNX to Paddle sets it, in models that are not written.
inline constexpr char kNoTensorsYet[] = "no tensors yet";

/// The union of two types that a value may have: dims that differ become unknown, ranks that differ no shape.
/// False when the element types or kinds differ.
bool merge_types(onnx::TypeProto* type, const onnx::TypeProto& other);

/// Both say the same, dims by number or name. Two dims about which nothing is known are the same.
bool same_type(const onnx::TypeProto& a, const onnx::TypeProto& b);

}  // namespace fluid2onnx
