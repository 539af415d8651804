#include "runtime/report/problems_text.h"

#include <algorithm>
#include <map>
#include <utility>

#include "runtime/support/refused.h"
#include "runtime/support/text.h"

namespace fluid2onnx {
namespace {

constexpr size_t kMostPlaces = 5;  // of one message that are listed

std::string where(const Problem& p) {
  if (p.index < 0) return p.place();
  return p.position() + (p.output.empty() ? "" : " -> '" + p.output + "'") +
         (p.source.empty() ? "" : " (" + p.source + ")");
}

/// The places of equal problems, some of them.
std::string places(const std::vector<const Problem*>& list) {
  std::string text;
  const size_t shown = list.size() <= kMostPlaces + 1 ? list.size() : kMostPlaces;
  for (size_t i = 0; i < shown; ++i) text += "  " + where(*list[i]) + "\n";
  if (shown < list.size()) text += "  and " + std::to_string(list.size() - shown) + " more\n";
  return text;
}

std::string head(const Problem& p, int opset) {
  const std::string what = p.index < 0 ? "an output" : "'" + p.op_type + "'";
  const std::string code = " [" + std::string(code_name(p.code)) + "]";
  if (p.unsupported()) return p.message + code;
  if (p.working_opset == 0) return what + " cannot be converted: " + p.message + code;
  const std::string need = needs_opset_text(what, p.working_opset, p.working_opset > opset);
  return need + " (requested: " + std::to_string(opset) + ")" + (p.message == need ? "" : ": " + p.message) + code;
}

}  // namespace

std::string problems_text(const std::vector<Problem>& problems, int opset, int working_opset) {
  // Equal heads together, in order of first occurrence; unsupported operators first, what may be a consequence last.
  std::vector<std::pair<bool, std::string>> order;
  std::map<std::pair<bool, std::string>, std::vector<const Problem*>> groups;
  for (const auto& [unsupported, behind] : {std::pair(true, false), {false, false}, {false, true}}) {
    for (const Problem& p : problems) {
      if (p.unsupported() != unsupported || p.behind != behind) continue;
      const std::pair key(behind, head(p, opset));
      auto& group = groups[key];
      if (group.empty()) order.push_back(key);
      group.push_back(&p);
    }
  }
  std::string text;
  bool announced = false;
  for (const auto& key : order) {
    const auto& group = groups[key];
    if (key.first && !announced) text += "after these operators, whose results have only the declared types:\n";
    announced = announced || key.first;
    text += "error: " + key.second + (group.size() > 1 ? ", " + std::to_string(group.size()) + " times" : "") + "\n";
    text += places(group);
    if (!group.front()->spec.empty()) text += "  spec: " + group.front()->spec + "\n";
    if (!group.front()->hint.empty()) text += "  hint: " + group.front()->hint + "\n";
  }
  if (working_opset > 0)
    text += "hint: use --opset " + std::to_string(working_opset) + ", which converts the whole model\n";
  return text;
}

}  // namespace fluid2onnx
