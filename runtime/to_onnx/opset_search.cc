#include "runtime/to_onnx/opset_search.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "runtime/support/refused.h"
#include "runtime/to_onnx/conversion.h"
#include "runtime/to_onnx/convert_model.h"

namespace fluid2onnx {
namespace {

using Place = std::tuple<int32_t, int32_t, std::string>;
Place place_of(const Problem& p) { return {p.block, p.index, p.index < 0 ? p.output : ""}; }

/// The failures at an opset, with their reasons.
using Failures = std::map<Place, std::string>;

std::string reason_of(const Problem& p) { return std::string(code_name(p.code)) + " " + p.message; }

Failures failures(const Program& program, const ConvertOptions& options, const Signature& signature, int opset) {
  ReleasableProgram borrowed(program);
  Conversion conversion(borrowed, options, signature, opset);
  conversion.run();
  Failures found;
  for (const Problem& p : conversion.problems()) found.emplace(place_of(p), reason_of(p));
  return found;
}

class Search {
 public:
  Search(const Program& program, const ConvertOptions& options, const Signature& signature, Report* report)
      : program_(program), options_(options), signature_(signature), report_(report) {}

  void run() {
    // An operator that fails for the same reason at the newest, the oldest and the requested opset fails at every
    // opset.
    const Failures& newest = failures_at(newest_opset());
    const Failures& oldest = failures_at(kOldestOpset);
    const auto same = [](const Failures& failures, const Problem& p) {
      const auto found = failures.find(place_of(p));
      return found != failures.end() && found->second == reason_of(p);
    };
    for (Problem& p : report_->problems) {
      const bool hopeless = same(newest, p) && same(oldest, p);
      if (hopeless || !open_.emplace(place_of(p), &p).second) p.working_opset = 0;
    }
    // A failure may hide later operators, which may need a newer opset.
    const auto go_on = [&] { return !open_.empty() || newest.empty(); };
    for (int opset = report_->opset + 1; opset <= newest_opset() && go_on(); ++opset) {
      if (settle_problems_at(opset)) return;
    }
    // Rarely, only an older opset works. There, operators without a failure may not have been reached.
    for (int opset = report_->opset - 1; opset >= kOldestOpset && !open_.empty(); --opset) {
      if (failures_at(opset).empty() && settle_problems_at(opset)) return;
    }
    for (const auto& [place, problem] : open_) problem->working_opset = 0;
  }

 private:
  const Failures& failures_at(int opset) {
    const auto known = known_.find(opset);
    if (known != known_.end()) return known->second;
    return known_[opset] = failures(program_, options_, signature_, opset);
  }

  /// Sets the opset of the open problems that do not occur at it. True if nothing fails there.
  bool settle_problems_at(int opset) {
    const Failures& failed = failures_at(opset);
    for (auto it = open_.begin(); it != open_.end();) {
      if (failed.count(it->first)) {
        ++it;
        continue;
      }
      Problem& p = *it->second;
      if (p.code == E_NO_VARIANT)
        p.message = "no variant of the spec matches at opset " + std::to_string(report_->opset);
      // The refusal has the opset of the first step that failed; a later step may need a newer one.
      const std::string op = "'" + p.op_type + "'";
      if (p.message == needs_opset_text(op, p.working_opset))
        p.message = needs_opset_text(op, opset, opset > report_->opset);
      p.working_opset = opset;
      p.code = E_OPSET;
      p.hint.clear();
      it = open_.erase(it);
    }
    if (failed.empty()) report_->working_opset = opset;
    return failed.empty();
  }

  const Program& program_;
  const ConvertOptions& options_;
  const Signature& signature_;
  Report* report_;
  std::map<Place, Problem*> open_;
  std::map<int, Failures> known_;
};

}  // namespace

bool may_convert_elsewhere(const Report& report) {
  const auto unsupported = [](const Problem& p) { return p.unsupported(); };
  return !std::all_of(report.problems.begin(), report.problems.end(), unsupported);
}

void find_working_opsets(const Program& program, const ConvertOptions& options, const Signature& signature,
                         Report* report) {
  Search(program, options, signature, report).run();
}

std::vector<int> converting_opsets(const Program& program, ConvertOptions options) {
  options.find_working_opset = false;
  options.progress = nullptr;
  options.ir_version = 0;  // not valid at every opset
  std::vector<int> opsets;
  for (options.opset = kOldestOpset; options.opset <= newest_opset(); ++options.opset) {
    if (convert_model(program, options).report.ok) opsets.push_back(options.opset);
  }
  return opsets;
}

}  // namespace fluid2onnx
