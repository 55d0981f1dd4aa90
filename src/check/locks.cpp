// SPDX-License-Identifier: Apache-2.0
#include "check/locks.hpp"

#include <algorithm>

#include "base/contract.hpp"

namespace myr::check {

Locks::Set Locks::number_of(const std::vector<Lock>& locks) {
  const auto [number, is_new] = numbers_.try_emplace(locks, static_cast<Set>(sets_.size()));
  if (is_new) sets_.push_back(locks);
  return number->second;
}

Locks::Set Locks::with(Set set, const Lock& lock) {
  std::vector<Lock> locks = sets_[set];
  locks.insert(std::upper_bound(locks.begin(), locks.end(), lock), lock);
  return number_of(locks);
}

Locks::Set Locks::without(Set set, std::uint64_t id) {
  std::vector<Lock> locks = sets_[set];
  const auto lock =
      std::find_if(locks.begin(), locks.end(), [id](const Lock& one) { return one.is_mutex(id); });
  MYR_ASSERT(lock != locks.end());
  locks.erase(lock);
  return number_of(locks);
}

bool Locks::has(Set set, std::uint64_t id) const noexcept {
  return std::any_of(sets_[set].begin(), sets_[set].end(),
                     [id](const Lock& one) { return one.is_mutex(id); });
}

bool Locks::contain(Set outer, Set inner) const noexcept {
  if (outer == inner || inner == kNone) return true;
  return std::includes(sets_[outer].begin(), sets_[outer].end(), sets_[inner].begin(),
                       sets_[inner].end());
}

bool Locks::exclude(Set one, Set other) const noexcept {
  if (one == kNone || other == kNone) return false;
  return std::any_of(sets_[one].begin(), sets_[one].end(), [&](const Lock& lock) {
    return std::any_of(sets_[other].begin(), sets_[other].end(),
                       [&](const Lock& its) { return lock.excludes(its); });
  });
}

}  // namespace myr::check
