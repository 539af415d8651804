#include "runtime/driver/opset_search.h"

#include <algorithm>
#include <set>
#include <utility>

#include "runtime/driver/attempt.h"

namespace fluid2onnx {
namespace {

using Place = std::pair<int32_t, int32_t>;

std::set<Place> failures(const Program& program, const ConvertOptions& options, const Signature& signature, int opset) {
  Attempt attempt(program, options, signature, opset);
  attempt.run();
  std::set<Place> places;
  for (const Problem& p : attempt.problems()) places.insert({p.block, p.index});
  return places;
}

}  // namespace

void find_lowest_opsets(const Program& program, const ConvertOptions& options, const Signature& signature,
                        Report* report) {
  const auto unsupported = [](const Problem& p) { return p.unsupported(); };
  if (std::all_of(report->problems.begin(), report->problems.end(), unsupported)) return;

  // Whatever fails at the newest opset as well has other reasons.
  const std::set<Place> hopeless = failures(program, options, signature, kNewestOpset);
  std::set<Place> open;
  for (Problem& p : report->problems) {
    p.lowest_opset = 0;
    if (!hopeless.count({p.block, p.index})) open.insert({p.block, p.index});
  }
  for (int opset = report->opset + 1; opset <= kNewestOpset && !open.empty(); ++opset) {
    const std::set<Place> failed = failures(program, options, signature, opset);
    for (Problem& p : report->problems) {
      const Place place{p.block, p.index};
      if (failed.count(place) || !open.erase(place)) continue;
      p.lowest_opset = opset;
      p.code = "E_OPSET";
      p.hint.clear();
    }
    if (failed.empty()) {
      report->lowest_opset = opset;
      return;
    }
  }
}

}  // namespace fluid2onnx
