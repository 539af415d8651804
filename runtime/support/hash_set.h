// A set of hashes: of many texts, it tells which were there, and keeps none.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace fluid2onnx {

class HashSet {
 public:
  // False if it was there already.
  bool insert(std::uint64_t hash) {
    hash += hash == 0;  // 0 marks a free place
    if (2 * (size_ + 1) > places_.size()) grow();
    const std::size_t at = find(hash);
    if (places_[at] == hash) return false;
    places_[at] = hash;
    ++size_;
    return true;
  }

  void erase(std::uint64_t hash) {
    hash += hash == 0;
    if (places_.empty()) return;
    std::size_t gap = find(hash);
    if (places_[gap] != hash) return;
    --size_;
    // Those behind that are not where they belong move up: what is looked for has no gap before it.
    for (std::size_t at = next(gap); places_[at] != 0; at = next(at)) {
      const std::size_t home = places_[at] & mask();
      if (((at - home) & mask()) < ((at - gap) & mask())) continue;
      places_[gap] = places_[at];
      gap = at;
    }
    places_[gap] = 0;
  }

 private:
  std::size_t mask() const { return places_.size() - 1; }
  std::size_t next(std::size_t at) const { return (at + 1) & mask(); }
  // Where the hash is, or could be put.
  std::size_t find(std::uint64_t hash) const {
    std::size_t at = hash & mask();
    while (places_[at] != 0 && places_[at] != hash) at = next(at);
    return at;
  }
  void grow() {
    const std::vector<std::uint64_t> old =
        std::exchange(places_, std::vector<std::uint64_t>(places_.empty() ? 64 : 2 * places_.size()));
    for (const std::uint64_t hash : old) {
      if (hash != 0) places_[find(hash)] = hash;
    }
  }

  std::vector<std::uint64_t> places_;  // a power of two, at most half of them taken
  std::size_t size_ = 0;
};

}  // namespace fluid2onnx
