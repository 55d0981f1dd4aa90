// SPDX-License-Identifier: Apache-2.0
//
// Locks: what a task holds while it touches memory. Two tasks that hold the same lock, and do not
// both share it, never touch memory at the same time. A lock is a mutex, or bytes that both have
// declared as commutative. Each set of locks has a number.
//
// Threads: one. Cost: O(log sets), and the locks of a set.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <vector>

namespace myr::check {

class Locks {
 public:
  using Set = std::uint32_t;
  static constexpr Set kNone = 0;

  struct Lock {
    std::uint64_t id;
    bool is_shared = false;
    std::uint64_t end = 0;  // of bytes from `id` on that are declared as commutative; 0: a mutex
    [[nodiscard]] bool is_mutex(std::uint64_t sought) const noexcept {
      return end == 0 && id == sought;
    }
    [[nodiscard]] bool excludes(const Lock& other) const noexcept {
      if (end == 0) return other.is_mutex(id) && !(is_shared && other.is_shared);
      return id < other.end && other.id < end;
    }
    auto operator<=>(const Lock&) const = default;
  };

  // The set of these locks and one more, which may be in it already.
  [[nodiscard]] Set with(Set set, const Lock& lock);
  // The set without one of these locks, which is in it at least once.
  [[nodiscard]] Set without(Set set, std::uint64_t id);
  [[nodiscard]] bool has(Set set, std::uint64_t id) const noexcept;
  // Are all locks of the one in the other?
  [[nodiscard]] bool contain(Set outer, Set inner) const noexcept;
  // Does the holder of one set wait for the holder of the other?
  [[nodiscard]] bool exclude(Set one, Set other) const noexcept;

 private:
  [[nodiscard]] Set number_of(const std::vector<Lock>& locks);

  std::vector<std::vector<Lock>> sets_{1};  // each ascending
  std::map<std::vector<Lock>, Set> numbers_{{{}, kNone}};
};

}  // namespace myr::check
