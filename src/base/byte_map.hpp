// SPDX-License-Identifier: Apache-2.0
//
// ByteMap: a value for each byte of memory that has one. Neighbours with the same value are kept
// together, as fragments.
//
// Invariant: fragments are not empty, and disjoint.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <utility>

namespace myr::base {

template <class Value>
class ByteMap {
 public:
  struct Fragment {
    std::uint64_t end;
    Value value;
  };

  [[nodiscard]] bool empty() const noexcept { return fragments_.empty(); }
  [[nodiscard]] std::size_t size() const noexcept { return fragments_.size(); }
  void clear() noexcept { fragments_.clear(); }

  // All bytes of [begin, end) have this value from now on. Cost of this and of what follows:
  // O(log fragments + fragments in [begin, end)).
  void set(std::uint64_t begin, std::uint64_t end, Value value) {
    if (begin >= end) return;
    fragments_.emplace_hint(take_out(begin, end), begin, Fragment{end, std::move(value)});
  }
  // They have none.
  void erase(std::uint64_t begin, std::uint64_t end) {
    if (begin < end) take_out(begin, end);
  }
  // Calls change(value) for each fragment of [begin, end), of which all bytes get a value.
  template <class Change>
  void change(std::uint64_t begin, std::uint64_t end, Change&& change) {
    if (begin >= end) return;
    split(begin);
    split(end);
    auto at = fragments_.lower_bound(begin);
    while (begin < end) {
      if (at == fragments_.end() || at->first > begin) {
        const std::uint64_t gap_end = at == fragments_.end() ? end : std::min(end, at->first);
        at = fragments_.emplace_hint(at, begin, Fragment{gap_end, Value{}});
      }
      change(at->second.value);
      begin = at->second.end;
      ++at;
    }
  }
  // Calls visit(first, end, value) for what fragments have of [begin, end), in order, until it
  // returns false.
  template <class Visit>
  void visit(std::uint64_t begin, std::uint64_t end, Visit&& visit) const {
    if (begin >= end) return;
    auto at = fragments_.upper_bound(begin);
    if (at != fragments_.begin()) --at;
    for (; at != fragments_.end() && at->first < end; ++at) {
      const auto& [first, fragment] = *at;
      if (fragment.end <= begin) continue;
      if (!visit(std::max(first, begin), std::min(fragment.end, end), fragment.value)) return;
    }
  }
  // Forgets the fragments for which is_over(value).
  template <class IsOver>
  void erase_if(IsOver&& is_over) {
    for (auto at = fragments_.begin(); at != fragments_.end();) {
      at = is_over(at->second.value) ? fragments_.erase(at) : std::next(at);
    }
  }

 private:
  using Fragments = std::map<std::uint64_t, Fragment>;  // by first byte

  // No fragment lies across the address any more.
  void split(std::uint64_t address) {
    const auto behind = fragments_.upper_bound(address);
    if (behind == fragments_.begin()) return;
    auto& [begin, fragment] = *std::prev(behind);
    if (begin == address || fragment.end <= address) return;
    fragments_.emplace_hint(behind, address, fragment);
    fragment.end = address;
  }
  // Returns what is behind.
  typename Fragments::iterator take_out(std::uint64_t begin, std::uint64_t end) {
    split(begin);
    split(end);
    return fragments_.erase(fragments_.lower_bound(begin), fragments_.lower_bound(end));
  }

  Fragments fragments_;
};

}  // namespace myr::base
