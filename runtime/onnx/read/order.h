// Names and order of an ONNX model's graphs.
#pragma once

#include "runtime/onnx/read/open_model.h"

namespace fluid2onnx {

/// Keeps the promises of OnnxFile::model about names, order, domains and inputs. Throws E_BAD_PROGRAM for names that
/// nothing gives, that are given twice, and for cycles.
void put_in_order(OnnxFile* onnx);

}  // namespace fluid2onnx
