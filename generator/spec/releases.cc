#include "generator/spec/releases.h"

#include <cctype>
#include <optional>

#include "generator/diagnostics/text.h"
#include "generator/spec/values.h"

namespace opgen {
namespace {

const KeySet kKeys{"release", "a release", {{"release", true}, {"signatures"}}};

/// "3.0" as programs say it; 0 if it is no release.
int64_t number_of(const std::string& name) {
  const size_t dot = name.find('.');
  const auto part = [&](size_t from, size_t to) -> int64_t {
    if (from >= to || to - from > 3) return -1;
    int64_t value = 0;
    for (size_t i = from; i < to; ++i) {
      if (std::isdigit(static_cast<unsigned char>(name[i])) == 0) return -1;
      value = value * 10 + (name[i] - '0');
    }
    return value;
  };
  if (dot == std::string::npos) return 0;
  const int64_t major = part(0, dot), minor = part(dot + 1, name.size());
  return major < 0 || minor < 0 ? 0 : major * 1'000'000 + minor * 1'000;
}

}  // namespace

size_t Releases::find(const std::string& name) const {
  size_t i = 0;
  while (i < list_.size() && list_[i].name != name) ++i;
  return i;
}

std::vector<std::string> Releases::names() const {
  std::vector<std::string> names;
  for (const Release& r : list_) names.push_back(r.name);
  return names;
}

std::vector<std::string> Releases::with_signatures() const {
  std::vector<std::string> names;
  for (const Release& r : list_)
    if (!r.signatures.empty()) names.push_back(r.name);
  return names;
}

Releases read_releases(const Source& source, Diagnostics& diagnostics) {
  std::vector<Release> list;
  const std::optional<YamlNode> root = read_yaml(source, diagnostics);
  if (!root) return {};
  if (root->kind != YamlNode::Kind::list) wrong_type(*root, "a list of releases", diagnostics);
  for (const YamlNode& item : root->items) {
    const Mapping mapping(item, kKeys, diagnostics);
    const YamlNode* const name = mapping.find("release");
    if (name == nullptr) continue;
    Release release{read_text(*name, "a release", diagnostics).text, 0, ""};
    release.number = number_of(release.name);
    if (release.number == 0)
      diagnostics.error("bad-release", name->span, "'" + release.name + "' is not a release", "write 3.0");
    else if (!list.empty() && release.number <= list.back().number)
      diagnostics.error("bad-release", name->span, "'" + release.name + "' follows '" + list.back().name + "'",
                        "list the oldest release first");
    if (const YamlNode* table = mapping.find("signatures"))
      release.signatures = read_text(*table, "the name of a table", diagnostics).text;
    list.push_back(std::move(release));
  }
  return Releases(std::move(list));
}

void unknown_release(const std::string& name, const Span& span, const Releases& releases, Diagnostics& diagnostics) {
  diagnostics.error("unknown-release", span,
                    "no release '" + name + "' of Paddle is known" + did_you_mean(name, releases.names()),
                    "opspecs/facts/releases.yaml lists " + joined(releases.names()));
}

}  // namespace opgen
