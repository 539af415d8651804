#pragma once

namespace fluid2onnx::cli {

/// Ctrl-C and its like end the program as ever, but leave no temporary file. A file that grows beyond the limit of
/// its size (ulimit -f) is an error like a full disk, not the program's end.
void handle_signals();

}  // namespace fluid2onnx::cli
