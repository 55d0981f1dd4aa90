// SPDX-License-Identifier: Apache-2.0
//
// LockSets: names for sets of locks that a strand holds. Two accesses under one lock never come at
// the same time.
//
// Threads: one.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <vector>

namespace myr::check {

class LockSets {
 public:
  using Id = std::uint32_t;
  using Lock = std::uint64_t;  // its address
  static constexpr Id kNone = 0;

  LockSets() { id_of({}); }

  [[nodiscard]] Id with(Id set, Lock lock) {
    std::vector<Lock> locks = sets_[set];
    locks.insert(std::upper_bound(locks.begin(), locks.end(), lock), lock);
    return id_of(std::move(locks));
  }
  [[nodiscard]] Id without(Id set, Lock lock) {
    std::vector<Lock> locks = sets_[set];
    if (const auto found = std::find(locks.begin(), locks.end(), lock); found != locks.end()) {
      locks.erase(found);
    }
    return id_of(std::move(locks));
  }
  // Are all locks of the one in the other?
  [[nodiscard]] bool contains(Id outer, Id inner) const {
    if (outer == inner || inner == kNone) return true;
    const std::vector<Lock>& all = sets_[outer];
    const std::vector<Lock>& some = sets_[inner];
    return std::includes(all.begin(), all.end(), some.begin(), some.end());
  }
  [[nodiscard]] bool share(Id one, Id other) const {
    if (one == kNone || other == kNone) return false;
    const std::vector<Lock>& locks = sets_[other];
    return std::any_of(sets_[one].begin(), sets_[one].end(), [&](Lock lock) {
      return std::binary_search(locks.begin(), locks.end(), lock);
    });
  }

 private:
  Id id_of(std::vector<Lock> locks) {
    const auto [found, is_new] = ids_.try_emplace(locks, static_cast<Id>(sets_.size()));
    if (is_new) sets_.push_back(std::move(locks));
    return found->second;
  }

  std::vector<std::vector<Lock>> sets_;
  std::map<std::vector<Lock>, Id> ids_;
};

}  // namespace myr::check
