// The releases of Paddle that facts and specs tell apart: opspecs/facts/releases.yaml.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "generator/diagnostics/diagnostics.h"
#include "generator/diagnostics/source.h"
#include "generator/spec/spec.h"

namespace opgen {

struct Release {
  std::string name;        ///< "3.0"
  int64_t number = 0;      ///< as programs say it: 3000000
  std::string signatures;  ///< the table of its operators; "" if missing
};

class Releases {
 public:
  Releases() = default;
  explicit Releases(std::vector<Release> list) : list_(std::move(list)) {}

  const std::vector<Release>& list() const { return list_; }
  size_t size() const { return list_.size(); }
  const Release& operator[](size_t i) const { return list_[i]; }
  /// size() if missing of this name.
  size_t find(const std::string& name) const;
  std::vector<std::string> names() const;
  /// Those with a table of operators, from the oldest: "2.6", "3.3".
  std::vector<std::string> with_signatures() const;

 private:
  std::vector<Release> list_;
};

Releases read_releases(const Source& source, Diagnostics& diagnostics);

/// For a name that is not that of a release: which there are.
void unknown_release(const std::string& name, const Span& span, const Releases& releases, Diagnostics& diagnostics);

}  // namespace opgen
