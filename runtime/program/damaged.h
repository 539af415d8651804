#pragma once

namespace fluid2onnx {

// The hint of errors about files that no Paddle writes.
constexpr char kExportAgain[] = "the file is damaged; copy or export it again";

}  // namespace fluid2onnx
