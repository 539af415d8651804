// The report for programs. Apart from report.h, so that users of the library need no nlohmann/json.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string_view>

#include "runtime/report/report.h"
#include "runtime/support/error.h"

namespace fluid2onnx {

/// {"ok": bool, "model", "params", "paddle", "output", "opset", "ir_version", "seconds",
///  "inputs": [{"name", "variable", "dtype", "shape": [n or name], "lengths": [name]}], "outputs": [the same],
///  "operators": {TYPE: n}, "nodes": {TYPE: n}, "skipped", "initializers", "weight_bytes", "model_bytes", "data_bytes",
///  "data_path", "casts": [{"op", "from", "to", "why": "opset" | "runtime"}],
///  "warnings": [text], "custom_nodes": [{"op": "domain::Op", "place", "why": text or null}],
///  "lowest_opset": n or null,
///  "errors": [{"code", "message", "hint", "lowest_opset", "place", "block", "index", "op", "output",
///              "source", "behind": bool}]}
/// and with a target "target": target_json(). What is unknown is null. Print it with json_text().
nlohmann::json report_json(const Report& report);

/// The report of a conversion that ended with an Error: {"ok": false, "lowest_opset": null,
///  "errors": [{"code", "message", "hint", "lowest_opset": null, "place"}]}; the message begins with the place.
nlohmann::json error_json(const Error& error);

/// [n or name or null] of an input or output; null if the rank is not known.
nlohmann::json shape_json(const std::optional<InputShape>& dims);

/// All operators that can be converted, or the one of that name: [{"op", "lowest_opset", "spec", "doc"}].
nlohmann::json operators_json(std::string_view name = "");

}  // namespace fluid2onnx
