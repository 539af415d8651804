// A converter of one of ONNX's operators, as opgen renders it.
#pragma once

#include <climits>

#include "runtime/convert/op_context.h"

namespace fluid2onnx {

/// Names are separated by spaces, "*" behind one means any number.
struct OnnxConverter {
  const char* op;
  Converter convert;
  const char* spec;    ///< path below the repository
  int first;           ///< the first opset whose operator means this
  const char* inputs;  ///< of the newest version
  const char* outputs;
  const char* older = "";  ///< "axes=axes": what was an attribute, or an attribute of another name, in older versions
  int last = INT_MAX;      ///< the last opset
};

}  // namespace fluid2onnx
