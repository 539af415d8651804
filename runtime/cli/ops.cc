#include <algorithm>
#include <iostream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "runtime/cli/commands.h"
#include "runtime/cli/output.h"
#include "runtime/convert/op_context.h"
#include "runtime/report/report_json.h"
#include "runtime/support/text.h"

namespace fluid2onnx::cli {
int ops(const Arguments& a) {
  std::vector<const ConverterInfo*> chosen;
  for (const ConverterInfo& info : converters()) {
    if (a.op.empty() || a.op == info.op) chosen.push_back(&info);
  }
  if (chosen.empty() && !a.op.empty()) {
    std::vector<std::string> known;
    for (const ConverterInfo& info : converters()) known.emplace_back(info.op);
    std::vector<std::string> with_it;
    for (const std::string& name : known)
      if (name.find(a.op) != std::string::npos) with_it.push_back(name);
    std::stable_partition(with_it.begin(), with_it.end(),
                          [&](const std::string& name) { return name.starts_with(a.op); });
    throw Error(E_UNSUPPORTED_OP,
                "operator '" + a.op + "' is not supported" +
                    (with_it.empty() ? did_you_mean(a.op, known) : "; similar names: " + listed(with_it)));
  }
  if (a.json.wanted) {
    print_json(operators_json(a.op), a.json);
    return kDone;
  }
  if (!a.op.empty()) {
    const ConverterInfo& info = *chosen.front();
    std::cout << info.op << ": " << info.doc << "\nfrom opset  " << info.lowest_opset << "\nspec        " << info.spec
              << "\n";
    return kDone;
  }
  size_t width = 0;
  for (const ConverterInfo* info : chosen) width = std::max(width, std::string(info->op).size());
  for (const ConverterInfo* info : chosen) {
    std::string line = info->op;
    line.resize(width + 2, ' ');
    const std::string opset = std::to_string(info->lowest_opset) + "+";
    std::cout << line << std::string(3 - std::min<size_t>(3, opset.size()), ' ') << opset << "  " << info->doc << "\n";
  }
  std::cout << count_of(chosen.size(), "operator") << "; N+: from opset N on\n";
  return kDone;
}

}  // namespace fluid2onnx::cli
