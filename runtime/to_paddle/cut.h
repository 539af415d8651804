// Finds where to cut an ONNX model that can be converted only in part.
#pragma once

#include "runtime/report/cut.h"
#include "runtime/report/file_options.h"
#include "runtime/to_paddle/conversion.h"

namespace fluid2onnx {

/// The part of the model that needs none of the nodes that fail, as large as it gets: outputs that do without them, and
/// what the first of them read. It has been tried: the cut model converts. `whole`: the conversion that failed.
Cut cut_before(const OnnxConversion& whole, const ConvertOptions& options, const FileOptions& files);

}  // namespace fluid2onnx
