#include "runtime/report/target_report.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <span>
#include <utility>
#include <vector>

#include "runtime/support/has_item.h"
#include "runtime/support/json_text.h"
#include "runtime/support/text.h"

namespace fluid2onnx {
namespace {

using nlohmann::json;

json text_or_null(const std::string& text) { return text.empty() ? json() : json(text); }

/// Problems with the same text.
struct Group {
  const TargetProblem* first;
  std::vector<std::string> nodes;
};

std::vector<Group> grouped(const std::vector<TargetProblem>& problems) {
  std::vector<Group> groups;
  for (const TargetProblem& problem : problems) {
    const auto same = [&](const Group& group) {
      return group.first->op == problem.op && group.first->message == problem.message;
    };
    auto group = std::find_if(groups.begin(), groups.end(), same);
    if (group == groups.end()) group = groups.insert(groups.end(), {&problem, {}});
    group->nodes.push_back(problem.node.empty() ? problem.output : problem.node);
  }
  return groups;
}

/// The nodes of a report that are refused; without problems of the whole model.
size_t refused_nodes(const TargetReport& report) {
  std::vector<std::pair<std::string, std::string>> seen;
  for (const TargetProblem& problem : report.problems) {
    if (!problem.op.empty()) seen.emplace_back(problem.op, problem.output);
  }
  std::sort(seen.begin(), seen.end());
  return static_cast<size_t>(std::unique(seen.begin(), seen.end()) - seen.begin());
}

/// "Loop, NonMaxSuppression": what is refused, once each.
std::string refused_operators(const TargetReport& report) {
  std::vector<std::string> names;
  for (const TargetProblem& problem : report.problems) {
    const std::string name = problem.op.empty() ? kind_name(problem.kind) : problem.op;
    if (!has_item(names, name)) names.push_back(name);
  }
  constexpr size_t kMost = 6;
  std::string text = joined(std::span(names).first(std::min(kMost, names.size())), ", ");
  if (names.size() > kMost) text += " and " + std::to_string(names.size() - kMost) + " more";
  return text;
}

/// " --outputs a,b" or empty.
std::string option(const char* name, const std::vector<std::string>& values) {
  return values.empty() ? "" : std::string(" ") + name + " " + shell_word(joined(values, ","));
}

/// How to divide an ONNX file.
std::string extraction(const TargetReport& report, const std::string& onnx_file) {
  if (report.captures) {
    return "  hint: the nodes before these compute " + listed(report.cut) +
           "; onnx.utils.extract_model cannot divide the model, because a body reads values from outside\n";
  }
  return "  hint: this Python code writes " + count_of(static_cast<size_t>(report.cut_nodes), "node") +
         " before these to front.onnx, and the other nodes to rest.onnx\n"
         "    import onnx.utils\n"
         "    model, cut = " +
         json_line(onnx_file) + ", " + json_line(report.cut) +
         "\n"
         "    graph = onnx.load(model, load_external_data=False).graph\n"
         "    inputs, outputs = [x.name for x in graph.input], [x.name for x in graph.output]\n"
         "    onnx.utils.extract_model(model, \"front.onnx\", inputs, cut)\n"
         "    onnx.utils.extract_model(model, \"rest.onnx\", cut + inputs, outputs)\n";
}

}  // namespace

json target_json(const TargetReport& report) {
  json problems = json::array();
  for (const TargetProblem& problem : report.problems) {
    problems.push_back({{"kind", kind_name(problem.kind)},
                        {"op", text_or_null(problem.op)},
                        {"node", text_or_null(problem.node)},
                        {"output", text_or_null(problem.output)},
                        {"block", problem.depth},
                        {"message", problem.message},
                        {"hint", text_or_null(problem.hint)}});
  }
  json cut;
  if (!report.cut.empty()) {
    cut = {{"outputs", report.cut}, {"nodes", report.cut_nodes}};
    if (!report.rest_inputs.empty()) cut["rest"] = {{"inputs", report.rest_inputs}, {"outputs", report.rest_outputs}};
  }
  return {{"target", std::string(report.target->name)},
          {"title", std::string(report.target->title)},
          {"version", std::string(report.target->version)},
          {"source", std::string(report.target->source)},
          {"ok", report.ok()},
          {"opset", report.opset},
          {"nodes", report.nodes},
          {"problems", problems},
          {"cut", cut}};
}

std::string target_text(const TargetReport& report, const std::string& onnx_file) {
  if (report.ok()) return "";
  std::string text = report.target->text() + " refuses ";
  const size_t refused = refused_nodes(report);
  text += refused > 0 ? std::to_string(refused) + " of " + count_of(static_cast<size_t>(report.nodes), "node")
                      : std::string("the model");
  text += ":\n";
  for (const Group& group : grouped(report.problems)) {
    const TargetProblem& problem = *group.first;
    text += "  " + (problem.op.empty() ? "" : problem.op + ": ") + problem.message + "\n";
    if (!problem.op.empty()) {
      text += group.nodes.size() == 1 ? "    node " : "    " + count_of(group.nodes.size(), "node") + ": ";
      text += listed(group.nodes) + "\n";
    }
    if (!problem.hint.empty()) text += "    hint: " + problem.hint + "\n";
  }
  if (!report.target->fallback.empty()) text += "  hint: " + std::string(report.target->fallback) + "\n";
  if (!report.rest_inputs.empty()) {
    text += "  hint: --rest rest.onnx writes only the nodes before these to the output, and the others to rest.onnx\n";
  }
  if (!report.cut.empty() && !onnx_file.empty()) {
    text += extraction(report, onnx_file);
  } else if (!report.cut.empty()) {
    text += "  hint:" + option("--outputs", report.cut) + " cuts the model before these nodes, and keeps " +
            std::to_string(report.cut_nodes) + "\n";
  }
  if (!report.rest_inputs.empty()) {
    text += "  hint:" + option("--inputs", report.rest_inputs) + option("--outputs", report.rest_outputs) +
            " -o rest.onnx converts the rest, for another engine\n"
            "  hint: " +
            rest_code("rest.onnx");
  }
  return text;
}

std::string rest_code(const std::string& rest) {
  return "this Python code runs the rest; `values` has arrays by name: the outputs of the first part, and the"
         " model's inputs\n"
         "    import onnxruntime\n"
         "    rest = onnxruntime.InferenceSession(" +
         json_line(rest) +
         ")\n"
         "    results = rest.run(None, {x.name: values[x.name] for x in rest.get_inputs()})\n";
}

std::string target_line(const TargetReport& report) {
  std::string line(report.target->name);
  line.resize(std::max<size_t>(line.size() + 1, 17), ' ');
  line += report.target->version;
  line.resize(std::max<size_t>(line.size() + 1, 32), ' ');
  if (report.ok()) return line + "runs\n";
  const size_t refused = refused_nodes(report);
  return line + "refuses " + (refused > 0 ? count_of(refused, "node") : std::string("the model")) + ": " +
         refused_operators(report) + "\n";
}

}  // namespace fluid2onnx
