#include "generator/spec/releases.h"

#include <cctype>
#include <optional>

#include "generator/base/text.h"
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

bool parse_releases(const Text& text, const Releases& releases, Diagnostics& diagnostics, ReleaseRange* out) {
  const std::string& s = text.text;
  const size_t dots = s.find("..");
  const bool open = s.ends_with('+');
  const std::string first = open ? s.substr(0, s.size() - 1) : s.substr(0, dots);
  const std::string last = dots == std::string::npos ? first : s.substr(dots + 2);
  ReleaseRange range;
  for (const auto& [name, at] : {std::pair(&first, &range.first), std::pair(&last, &range.last)}) {
    if (name->empty() && name == &first && dots == 0) continue;
    *at = releases.find(*name);
    if (*at < releases.size()) continue;
    if (number_of(*name) > 0) {
      unknown_release(*name, span_at(text, s.find(*name), name->size()), releases, diagnostics);
      return false;
    }
    diagnostics.error("bad-release", text.span, "expected releases of Paddle, but found '" + s + "'",
                      "write '3.0+', '2.6..3.0', '..2.6' or '3.0'");
    return false;
  }
  if (open) range.last = SIZE_MAX;
  if (range.first > range.last) {
    diagnostics.error("bad-release", text.span, "'" + s + "' contains no release", "write the older one first");
    return false;
  }
  *out = range;
  return true;
}

}  // namespace opgen
