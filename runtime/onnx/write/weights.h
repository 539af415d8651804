// Where the weights of an ONNX model are.
#pragma once

namespace fluid2onnx {

enum class Weights {
  automatic,  ///< in the ONNX file, or in FILE.data beside it when protobuf's limit of 2 GB would be exceeded
  inlined,    ///< in the ONNX file; refused above 2 GB
  external,   ///< in FILE.data beside it
  reference,  ///< not written: the ONNX file points into Paddle's own
};

}  // namespace fluid2onnx
