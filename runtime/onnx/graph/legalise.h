// Which dtypes a node must work in, so that the opset admits it and ONNX Runtime has a kernel.
#pragma once

#include <onnx/onnx_pb.h>

#include <string>
#include <string_view>
#include <vector>

#include "runtime/onnx/graph/graph.h"
#include "runtime/onnx/graph/schema.h"

namespace fluid2onnx {

/// True if the operator supports that dtype instead of `param`. Some attributes matter to what ONNX Runtime can
/// run.
bool admits(const Schema& schema, const SchemaParam& param, std::string_view op, int opset, Dtype dtype,
            const Attributes& attributes = {});

/// The nearest supported dtype that holds the values of `dtype` (as well as floats can);
/// `dtype` itself when it can be used. Throws Refused E_DTYPE if missing, with the lowest opset that helps.
/// `index`: which operand `param` is.
Dtype legal_dtype(const Schema& schema, const SchemaParam& param, size_t index, std::string_view op, int opset,
                  Dtype dtype, const Attributes& attributes = {});

/// Refuses a dtype that the opset does not admit, for an operand where a cast would not do.
[[noreturn]] void refuse_dtype(const SchemaParam& param, size_t index, std::string_view op, int opset, Dtype dtype,
                               bool may_cast = false);

}  // namespace fluid2onnx
