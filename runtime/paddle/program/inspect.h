#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "runtime/paddle/program/program.h"

namespace fluid2onnx {

/// Inputs and outputs as they are printed, "x: float32[?, 3]".
struct PortLines {
  std::vector<std::string> inputs, outputs;
};

/// A summary for people: format and version, inputs and outputs with dtype and shape (`ports`; without, as the program
/// declares them), parameters, blocks, and how often each op occurs. Ends with a newline.
std::string describe_text(const Program& program, const std::optional<PortLines>& ports = std::nullopt);

/// The same for programs:
///   {"format": "program_desc", "model": PATH, "params": PATH or null, "version": "2.6.2" or null,
///    "inputs": [{"name", "dtype", "shape": [n or null], "lod_level"}], "outputs": [the same],
///    "parameters": {"count": n, "bytes": n}, "op_count": n, "ops": {TYPE: n},
///    "blocks": [{"index", "parent": n or null, "ops": n, "variables": n}],
///    "warnings": [TEXT]}
/// "shape" is null if the file declares none; "parameters" is null if they were not loaded.
/// Names may be invalid UTF-8: print it with json_text().
nlohmann::json describe_json(const Program& program);

/// Every op: [{"block", "index", "type", "inputs": {SLOT: [NAME]}, "outputs": {SLOT: [NAME]},
///   "attributes": {NAME: as attribute_json()}, "source": TEXT or null}].
nlohmann::json ops_json(const Program& program);

/// Every variable by its name: {NAME: {"dtype", "shape": [n or null] or null, "parameter": bool, "bytes": n or null}}.
nlohmann::json variables_json(const Program& program);

/// The most frequent first; by name where they are equal.
std::vector<std::pair<std::string, int64_t>> by_frequency(const std::map<std::string, int64_t>& counts);

/// How often each operator occurs, the most frequent first, a line each.
std::string histogram_text(const std::map<std::string, int64_t>& counts);

}  // namespace fluid2onnx
