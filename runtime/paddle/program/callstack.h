#pragma once

#include <string_view>
#include <vector>

#include "runtime/paddle/program/program.h"

namespace fluid2onnx {

/// The attribute in which Paddle saves the Python call stack of an operator.
inline constexpr char kCallstackAttribute[] = "op_callstack";

/// Finds the user's line in an op_callstack attribute: the innermost frame that is not Paddle's own machinery
/// (paddle.vision's and paddle.text's networks count as the user's). Empty without such a frame.
///
/// The entries are lines of a Python traceback, '  File "net.py", line 12, in forward', each followed by the source
/// text. Innermost comes last, except in the files of Paddle 1.4 and 1.5, where each entry holds both lines and
/// innermost comes first.
SourceLine distill_callstack(const std::vector<std::string_view>& entries);

}  // namespace fluid2onnx
