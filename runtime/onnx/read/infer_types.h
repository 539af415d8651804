// What is known of all values of an ONNX file, before anything is converted.
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

/// By the inference functions of ONNX's schemas, and where they say nothing by what the file declares. Never throws
/// for a model: what a node's inference objects to, is not known.
GraphTypes infer_types(const OnnxFile& onnx);

}  // namespace fluid2onnx
