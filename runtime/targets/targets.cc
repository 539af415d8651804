#include "runtime/targets/targets.h"

#include <algorithm>
#include <vector>

#include "runtime/support/error.h"
#include "runtime/support/text.h"

namespace fluid2onnx {
namespace {

/// "5" matches 5.0.0, but not 50.
bool is_version(std::string_view version, std::string_view wanted) {
  return version.starts_with(wanted) && (version.size() == wanted.size() || version[wanted.size()] == '.');
}

}  // namespace

bool has_word(std::string_view words, std::string_view word) {
  while (!words.empty()) {
    const size_t end = std::min(words.find(' '), words.size());
    if (words.substr(0, end) == word) return true;
    words.remove_prefix(std::min(end + 1, words.size()));
  }
  return false;
}

std::span<const TargetFact> Target::facts_of(std::string_view op) const {
  const auto found = std::lower_bound(facts.begin(), facts.end(), op,
                                      [](const TargetFact& fact, std::string_view wanted) { return fact.op < wanted; });
  const auto first = static_cast<size_t>(found - facts.begin());
  size_t last = first;
  while (last < facts.size() && facts[last].op == op) ++last;
  return facts.subspan(first, last - first);
}

bool Target::is_unjudged(std::string_view op) const { return has_word(unjudged, op); }

std::string Target::text() const { return std::string(title) + " " + std::string(version); }

std::vector<const Target*> newest_targets() {
  std::vector<const Target*> newest;
  for (const Target& target : all_targets()) {
    if (newest.empty() || newest.back()->name != target.name) newest.push_back(&target);
  }
  return newest;
}

std::vector<std::string> target_names() {
  std::vector<std::string> names;
  for (const Target* target : newest_targets()) names.emplace_back(target->name);
  return names;
}

const Target& find_target(std::string_view name) {
  const size_t at = name.find('@');
  const std::string_view wanted = at == std::string_view::npos ? "" : name.substr(at + 1);
  name = name.substr(0, at);
  std::vector<std::string> versions;
  for (const Target& target : all_targets()) {
    if (target.name != name) continue;
    if (at == std::string_view::npos || is_version(target.version, wanted)) return target;
    versions.emplace_back(target.version);
  }
  if (!versions.empty()) {
    throw Error(E_USAGE, "no facts about version '" + std::string(wanted) + "' of '" + std::string(name) +
                             "'; there are facts about " + joined(versions, ", "))
        .at("--target");
  }
  const std::vector<std::string> names = target_names();
  throw Error(E_USAGE, "unknown target '" + std::string(name) + "'" + did_you_mean(name, names) + "; targets are " +
                           joined(names, ", "))
      .at("--target");
}

}  // namespace fluid2onnx
