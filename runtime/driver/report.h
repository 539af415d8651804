// What a conversion did, for people and for programs.
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "runtime/driver/problem.h"
#include "runtime/driver/signature.h"
#include "runtime/driver/walker.h"
#include "runtime/graph/legalise.h"

namespace fluid2onnx {

struct Report {
  bool ok = false;
  std::string model;   ///< the file that was read
  std::string params;  ///< file or folder; "" if there are none
  std::string paddle;  ///< version that wrote the program
  std::string output;  ///< the file that was written; "" if none was
  int opset = 0;
  int ir_version = 0;

  std::vector<Port> inputs;
  std::vector<Port> outputs;

  std::map<std::string, int64_t> operators;  ///< that were converted, by type
  std::map<std::string, int64_t> nodes;      ///< that the graph has, by type, bodies included
  int64_t skipped = 0;                       ///< operators that no output needs
  int64_t initializers = 0;                  ///< constants of the graph
  uint64_t weight_bytes = 0;                 ///< of all constants of the graph

  std::vector<Legalised> casts;
  std::vector<ApproximationNote> approximations;
  std::vector<std::string> warnings;

  uint64_t model_bytes = 0;
  uint64_t data_bytes = 0;
  std::string data_path;
  double seconds = 0;

  std::vector<Problem> problems;
  int lowest_opset = 0;  ///< at which the whole model converts, if that is not `opset`; 0: none, or not known

  int64_t operator_count() const;
  int64_t node_count() const;
};

/// A short summary of a conversion that worked. Ends with a newline.
std::string report_text(const Report& report);

/// {"ok": bool, "model", "params", "paddle", "output", "opset", "ir_version", "seconds",
///  "inputs": [{"name", "variable", "dtype", "shape": [n or name]}], "outputs": [the same],
///  "operators": {TYPE: n}, "nodes": {TYPE: n}, "skipped", "initializers", "weight_bytes", "model_bytes", "data_bytes",
///  "data_path", "casts": [{"op", "from", "to", "why": "opset" | "runtime"}],
///  "approximations": [{"place", "message"}], "warnings": [text], "lowest_opset": n or null,
///  "errors": [{"code", "message", "hint", "lowest_opset", "block", "index", "op", "output", "source"}]}
/// What is unknown is null. Dump with json_text() of runtime/program/inspect.h.
nlohmann::json report_json(const Report& report);

/// "1.5 MB"
std::string bytes_text(uint64_t bytes);

}  // namespace fluid2onnx
