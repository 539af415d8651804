// Types and shapes of all values of an ONNX file.
#pragma once

#include <onnx/onnx_pb.h>

#include <string>
#include <unordered_map>

#include "runtime/onnx/read/open_model.h"

namespace fluid2onnx {

using TypesByName = std::unordered_map<std::string, onnx::TypeProto>;

/// The types of each graph's values: inputs, initializers and results. A value of unknown type is absent; an unknown
/// dim has neither number nor name.
using GraphTypes = std::unordered_map<const onnx::GraphProto*, TypesByName>;

/// By the inference functions of ONNX's schemas, else as the file declares. Never throws
/// for a model: if the inference of a node fails, its results are unknown.
GraphTypes infer_types(const OnnxFile& onnx);

}  // namespace fluid2onnx
