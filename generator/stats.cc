#include "generator/stats.h"

#include <algorithm>
#include <cstdio>
#include <set>

#include "generator/check/library.h"
#include "generator/check/onnx_fact.h"

namespace opgen {

void print_stats(const Compiled& c) {
  size_t variants = 0, examples = 0, natives = 0;
  for (const CheckedOp& op : c.program.ops) {
    variants += op.variants.size();
    examples += op.spec->examples.size();
    natives += op.spec->native.text.empty() ? 0 : 1;
  }
  std::printf("Paddle to ONNX\n");
  std::printf("  Paddle operators      %zu (converters in C++: %zu)\n", c.program.ops.size(), natives);
  std::printf("  variants              %zu\n  examples              %zu\n", variants, examples);
  std::printf("  ONNX operators used   %zu\n", c.program.groups.size());
  size_t derived = 0, onnx_natives = 0, onnx_examples = 0;
  std::set<std::string> read;
  for (const CheckedOp& op : c.program.onnx) {
    derived += c.program.is_derived(op) ? 1 : 0;
    onnx_examples += op.spec->examples.size();
    onnx_natives += op.spec->native.text.empty() ? 0 : 1;
    read.insert(find_onnx_group(c.onnx, op.spec->op.text)->op);
  }
  std::printf("ONNX to Paddle\n");
  std::printf("  ONNX operators        %zu\n", read.size());
  std::printf("  specs                 %zu (derived: %zu, converters in C++: %zu)\n", c.program.onnx.size(), derived,
              onnx_natives);
  std::printf("  examples              %zu\n", onnx_examples);
  // ONNX to Paddle must read what recipes emit.
  std::set<std::string> unread;
  for (const OnnxGroup* group : c.program.groups)
    if (read.count(group->op) == 0 && !group->has_body) unread.insert(group->op);
  if (!unread.empty()) std::printf("  written, but not read:");
  for (const std::string& op : unread) std::printf(" %s", op.c_str());
  if (!unread.empty()) std::printf("\n");

  const auto replaces = [](const CheckedFunction& f) { return !f.spec->replaces.text.empty(); };
  std::printf("Functions of the library: %zu (replacements of nodes: %td)\n", c.program.functions.size(),
              std::count_if(c.program.functions.begin(), c.program.functions.end(), replaces));
  std::printf("Functions that only one recipe calls (it could contain their bodies):\n");
  for (const SingleCall& s : single_calls(c.program))
    std::printf("  %s, called at %s:%d\n", s.function->head.name.c_str(), s.call.file ? s.call.file->path.c_str() : "",
                s.call.line);
  std::printf("Converters in C++, and why the operator has no recipe:\n");
  for (const CheckedOp& op : c.program.ops)
    if (!op.spec->native.text.empty()) std::printf("  %s: %s\n", op.spec->op.text.c_str(), op.spec->why.text.c_str());
}

}  // namespace opgen
