// What a target refuses, for people and for programs.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "runtime/targets/lint.h"

namespace fluid2onnx {

/// {"target", "title", "version", "source", "ok": bool, "opset", "nodes": n,
///  "problems": [{"kind", "op", "node", "output", "block": depth, "message", "hint"}],
///  "cut": {"outputs": [name], "nodes": n, "rest": {"inputs": [name], "outputs": [name]}} or null}; what does not exist
/// is null, and "rest" is missing. Without names, "outputs" of the rest are those of the model.
nlohmann::json target_json(const TargetReport& report);

/// The problems, grouped by operator and message, and how to cut the model; empty if there are none. Ends with a
/// newline. `onnx_file`: the model, if it is not the conversion of a program.
std::string target_text(const TargetReport& report, const std::string& onnx_file = "");

/// Python code that runs the rest of a divided model, in the file `rest`. Ends with a newline.
std::string rest_code(const std::string& rest);

/// One line: "tract            0.23.9         refuses 2 nodes: Loop", with a newline.
std::string target_line(const TargetReport& report);

}  // namespace fluid2onnx
