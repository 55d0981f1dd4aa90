// SPDX-License-Identifier: Apache-2.0
#include "sched/kept_tasks.hpp"

#include <utility>

#include "base/contract.hpp"

namespace myr::sched {

using proto::Work;

void KeptTasks::push(Work work, std::uint32_t rank, unsigned home_depth) {
  if (home_depth >= by_home_.size()) by_home_.resize(home_depth + 1);
  by_home_[home_depth][rank].push_back({.turn = next_turn_++, .work = std::move(work)});
  size_ += 1;
}

Work KeptTasks::pop() {
  ByRank* next = nullptr;
  for (ByRank& other : by_home_) {
    if (other.empty()) continue;
    const auto& [rank, tasks] = *other.begin();
    if (next == nullptr || rank > next->begin()->first ||
        (rank == next->begin()->first && tasks.front().turn < next->begin()->second.front().turn)) {
      next = &other;
    }
  }
  MYR_ASSERT(next != nullptr);
  return take(*next, next->begin());
}

std::optional<Work> KeptTasks::pop_for(unsigned depth) {
  for (std::size_t i = 0; i < by_home_.size() && i <= depth; ++i) {
    if (!by_home_[i].empty()) return take(by_home_[i], std::prev(by_home_[i].end()));
  }
  return {};
}

Work KeptTasks::take(ByRank& from, ByRank::iterator at) {
  Work work = std::move(at->second.front().work);
  at->second.pop_front();
  if (at->second.empty()) from.erase(at);
  size_ -= 1;
  return work;
}

}  // namespace myr::sched
