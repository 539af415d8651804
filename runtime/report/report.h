// The report of a conversion, as members and as text.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "runtime/report/signature.h"
#include "runtime/support/cast_note.h"
#include "runtime/support/problem.h"

namespace fluid2onnx {

/// An operator that was left to the runtime.
struct CustomNode {
  std::string op;     ///< "domain::Op"
  std::string place;  ///< the location of the operator
  std::string why;    ///< the reason why it cannot be converted; "" if the user requested the node
};

struct TargetReport;

struct Report {
  bool ok = false;
  bool to_paddle = false;  ///< from ONNX; each member below names the file that it describes
  std::string model;       ///< the file that was read
  std::string params;      ///< file or folder that was read; "" if there are none
  std::string paddle;      ///< version that wrote the program
  std::string output;      ///< the file that was written; "" if none was
  int opset = 0;           ///< of the ONNX model
  int ir_version = 0;

  std::vector<Port> inputs;
  std::vector<Port> outputs;

  std::map<std::string, int64_t> operators;  ///< converted operators of the model that was read: count per type
  std::map<std::string, int64_t> nodes;      ///< nodes of the result, including bodies: count per type
  int64_t skipped = 0;                       ///< operators that no output needs
  int64_t initializers = 0;                  ///< number of constants of the graph
  uint64_t weight_bytes = 0;                 ///< size of all constants of the graph

  std::vector<CastNote> casts;
  /// Outputs whose rank is unknown; the file has the rank that the program declares.
  std::vector<std::string> unknown_ranks;
  std::vector<CustomNode> custom_nodes;
  std::vector<std::string> warnings;

  uint64_t model_bytes = 0;
  uint64_t data_bytes = 0;
  std::string data_path;
  double seconds = 0;

  std::string structure;  ///< the text of the graph, if requested; see structure_text()

  /// What the target of the options refuses; null without a target.
  std::shared_ptr<const TargetReport> target;

  std::vector<Problem> problems;
  /// The next newer opset at which the whole model converts, else the next older one, if `opset` fails; 0: none, or
  /// unknown.
  int working_opset = 0;

  int64_t operator_count() const;
  int64_t node_count() const;
  /// True if operators that cannot be converted were left to the runtime, or if the target refuses nodes.
  bool incomplete() const;
};

/// A short summary of a conversion that worked. Ends with a newline.
std::string report_text(const Report& report);

/// "7 to 17 and 19"
std::string opsets_text(const std::vector<int>& opsets);

}  // namespace fluid2onnx
