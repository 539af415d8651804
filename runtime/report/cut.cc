#include "runtime/report/cut.h"

#include <algorithm>
#include <span>

#include "runtime/support/has_item.h"
#include "runtime/support/text.h"

namespace fluid2onnx {

void CutSearch::visit(bool fails, const std::vector<std::string>& reads, const std::vector<std::string>& writes) {
  const auto is_tainted = [&](const std::string& name) { return tainted_.contains(name); };
  const bool taints = fails || std::any_of(reads.begin(), reads.end(), is_tainted);
  if (fails) {
    for (const std::string& name : reads) add(name);
  }
  for (const std::string& name : writes) {
    if (taints) {
      tainted_.insert(name);
      computed_.erase(name);
      // An output has the value that was written last.
      std::erase(outputs, name);
    } else if (!is_tainted(name)) {
      computed_.insert(name);
    }
  }
}

void CutSearch::add(const std::string& name) {
  if (computed_.contains(name) && !has_item(outputs, name)) outputs.push_back(name);
}

std::string cut_text(const Cut& cut, int64_t of) {
  constexpr size_t kMost = 8;
  const auto shown = std::span(cut.outputs).first(std::min(kMost, cut.outputs.size()));
  std::string text = "hint: use --outputs " + shell_word(joined(shown, ","));
  if (cut.outputs.size() > kMost) {
    text += ",... (" + std::to_string(cut.outputs.size()) + " variables, which --json lists)";
  }
  return text + ", which omits what cannot be converted, and converts " + std::to_string(cut.operators) + " of " +
         count_of(static_cast<size_t>(of), "operator") + "\n";
}

}  // namespace fluid2onnx
