// SPDX-License-Identifier: Apache-2.0
#include "check/handovers.hpp"

#include <algorithm>
#include <unordered_set>

namespace myr::check {

namespace {
// In user programs on 64 bits.
bool may_be_pointer(std::uint64_t value) noexcept {
  return (value >> 16) != 0 && (value >> 47) == 0;
}
}  // namespace

void Handovers::leave(std::uint64_t pointer, Order::Id task) {
  if (may_be_pointer(pointer)) left_.insert_or_assign(pointer, task);
}

void Handovers::take(std::uint64_t pointer, Order::Id task) {
  if (!may_be_pointer(pointer)) return;
  const auto left = left_.find(pointer);
  if (left != left_.end()) add(left->second, task);
}

void Handovers::count(std::uint64_t counter, bool is_zero, Order::Id task) {
  std::vector<Order::Id>& users = counts_[counter];
  if (is_zero) {
    for (const Order::Id user : users) add(user, task);
    users.clear();
  } else if (users.empty() || users.back() != task) {
    users.push_back(task);
  }
}

void Handovers::add(Order::Id earlier, Order::Id later) {
  if (earlier == later) return;
  std::vector<Order::Id>& before = before_[later];
  if (std::find(before.begin(), before.end(), earlier) == before.end()) before.push_back(earlier);
}

bool Handovers::is_before(Order::Id earlier, Order::Id later) const {
  if (before_.empty()) return false;
  std::vector<Order::Id> to_look_at{later};
  std::unordered_set<Order::Id> seen{later};
  while (!to_look_at.empty()) {
    const auto found = before_.find(to_look_at.back());
    to_look_at.pop_back();
    if (found == before_.end()) continue;
    for (const Order::Id before : found->second) {
      if (before == earlier) return true;
      if (seen.insert(before).second) to_look_at.push_back(before);
    }
  }
  return false;
}

void Handovers::forget_all() {
  left_.clear();
  counts_.clear();
  before_.clear();
}

}  // namespace myr::check
