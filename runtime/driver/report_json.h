// The report for programs. Apart from report.h, so that users of the library need no nlohmann/json.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "runtime/driver/report.h"

namespace fluid2onnx {

/// {"ok": bool, "model", "params", "paddle", "output", "opset", "ir_version", "seconds",
///  "inputs": [{"name", "variable", "dtype", "shape": [n or name]}], "outputs": [the same],
///  "operators": {TYPE: n}, "nodes": {TYPE: n}, "skipped", "initializers", "weight_bytes", "model_bytes", "data_bytes",
///  "data_path", "casts": [{"op", "from", "to", "why": "opset" | "runtime"}],
///  "approximations": [{"place", "message"}], "warnings": [text], "lowest_opset": n or null,
///  "errors": [{"code", "message", "hint", "lowest_opset", "block", "index", "op", "output", "source"}]}
/// What is unknown is null. Dump with json_text() of runtime/program/inspect.h.
nlohmann::json report_json(const Report& report);

}  // namespace fluid2onnx
