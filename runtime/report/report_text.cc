#include <algorithm>
#include <cstdio>
#include <tuple>

#include "runtime/paddle/program/inspect.h"
#include "runtime/report/report.h"
#include "runtime/report/target_report.h"
#include "runtime/support/text.h"

namespace fluid2onnx {
namespace {

constexpr size_t kMostTypes = 8;  // of nodes that are listed by name

int64_t total(const std::map<std::string, int64_t>& counts) {
  int64_t sum = 0;
  for (const auto& [type, n] : counts) sum += n;
  return sum;
}

/// "48: Conv 20, Relu 17, Add 8 and 3 other types": the most frequent first.
std::string counts_text(const std::map<std::string, int64_t>& counts) {
  const std::vector<std::pair<std::string, int64_t>> sorted = by_frequency(counts);
  std::string text = std::to_string(total(counts)) + (counts.empty() ? "" : ": ");
  const size_t shown = sorted.size() <= kMostTypes + 1 ? sorted.size() : kMostTypes;
  for (size_t i = 0; i < shown; ++i) {
    text += (i ? ", " : "") + sorted[i].first + " " + std::to_string(sorted[i].second);
  }
  if (shown < sorted.size()) text += " and " + count_of(sorted.size() - shown, "other type");
  return text;
}

void append_ports(const char* title, const std::vector<Port>& ports, std::string* out) {
  size_t width = 0;
  for (const Port& port : ports) width = std::max(width, port.name.size());
  for (size_t i = 0; i < ports.size(); ++i) {
    *out += i ? "           " : title;
    *out += ports[i].name + std::string(width - ports[i].name.size(), ' ') + "  " + port_text(ports[i]) +
            lengths_text(ports[i]) + "\n";
  }
}

}  // namespace

int64_t Report::operator_count() const { return total(operators); }
int64_t Report::node_count() const { return total(nodes); }
bool Report::incomplete() const {
  if (target && !target->ok()) return true;
  return std::any_of(custom_nodes.begin(), custom_nodes.end(), [](const CustomNode& n) { return !n.why.empty(); });
}

std::string report_text(const Report& r) {
  std::string out;
  append_ports("inputs     ", r.inputs, &out);
  append_ports("outputs    ", r.outputs, &out);
  const auto& [operators, nodes] = r.to_paddle ? std::tie(r.nodes, r.operators) : std::tie(r.operators, r.nodes);
  if (r.to_paddle) out += "nodes      " + counts_text(nodes) + "\n";
  out += "operators  " + counts_text(operators) + "\n";
  if (!r.to_paddle) out += "nodes      " + counts_text(nodes) + "\n";
  for (size_t i = 0; i < r.casts.size(); ++i) {
    const CastNote& cast = r.casts[i];
    out += std::string(i ? "           " : "casts      ") + cast.op + " runs in " + std::string(dtype_name(cast.to)) +
           " instead of " + std::string(dtype_name(cast.from)) +
           (cast.for_runtime ? ", which ONNX Runtime does not support" : ", which this opset does not support") + "\n";
  }
  for (const CustomNode& node : r.custom_nodes)
    out += (node.why.empty() ? "custom     " : "left       ") + node.op + ", " + node.place +
           (node.why.empty() ? "" : ": " + node.why) + "\n";
  for (const std::string& warning : r.warnings) out += "warning    " + warning + "\n";
  out += "weights    " + bytes_text(r.weight_bytes) + " in " + count_of(static_cast<size_t>(r.initializers), "tensor") +
         "\n";
  if (!r.output.empty()) {
    char seconds[32];
    std::snprintf(seconds, sizeof seconds, "%.2f s", r.seconds);
    out += "written    " + r.output + (r.to_paddle ? "" : ", opset " + std::to_string(r.opset)) + ", " +
           bytes_text(r.model_bytes);
    if (r.data_bytes) out += " and " + bytes_text(r.data_bytes) + " in " + r.data_path;
    out += std::string(", ") + seconds + "\n";
  }
  if (r.target && r.target->ok()) out += "target     " + r.target->target->text() + " runs all nodes\n";
  return out;
}

std::string opsets_text(const std::vector<int>& opsets) {
  std::vector<std::string> runs;
  for (size_t i = 0; i < opsets.size();) {
    size_t end = i;
    while (end + 1 < opsets.size() && opsets[end + 1] == opsets[end] + 1) ++end;
    runs.push_back(std::to_string(opsets[i]));
    if (end > i) runs.back() += " to " + std::to_string(opsets[end]);
    i = end + 1;
  }
  std::string text;
  for (size_t i = 0; i < runs.size(); ++i) text += (i == 0 ? "" : i + 1 < runs.size() ? ", " : " and ") + runs[i];
  return text;
}

}  // namespace fluid2onnx
