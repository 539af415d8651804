// Finds where to cut an ONNX model that can be converted only in part.
#pragma once

#include "runtime/report/cut.h"
#include "runtime/report/file_options.h"
#include "runtime/to_paddle/conversion.h"

namespace fluid2onnx {

/// The largest part of the model that converts: the outputs that need no failing node, and the values that the first
/// failing nodes read. It has been tried: the cut model converts. `whole`: the conversion that failed.
Cut cut_before(const OnnxConversion& whole, const ConvertOptions& options, const FileOptions& files);

}  // namespace fluid2onnx
