// Hints of errors about files.
#pragma once

namespace fluid2onnx {

/// About models that were not exported for inference.
inline constexpr char kHowToExport[] = "export with paddle.jit.save or paddle.static.save_inference_model";
inline constexpr char kExportAgain[] = "the file is damaged; copy or export it again";
inline constexpr char kIncomplete[] = "the file is incomplete; copy or export it again";

}  // namespace fluid2onnx
