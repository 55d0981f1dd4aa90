// SPDX-License-Identifier: Apache-2.0
#include "sched/page_map.hpp"

#include <algorithm>
#include <iterator>

#include "base/contract.hpp"

namespace myr::sched {

void PageMap::insert(PageRun run, AgentId holder) {
  runs_.emplace(run.first, Held{.count = run.count, .holder = holder});
  if (holder != kFree) return;
  free_.emplace(run.count, run.first);
  free_count_ += run.count;
}

void PageMap::erase(Runs::iterator run) {
  const auto [first, held] = *run;
  runs_.erase(run);
  if (held.holder != kFree) return;
  free_.erase({held.count, first});
  free_count_ -= held.count;
}

void PageMap::assign(PageRun run, AgentId from, AgentId to) {
  MYR_ASSERT(run.count != 0 && from != to);
  if (from != kElsewhere) cut_out(run, from);
  if (to != kElsewhere) join_in(run, to);
}

void PageMap::cut_out(PageRun run, AgentId from) {
  auto around = runs_.upper_bound(run.first);
  MYR_ASSERT(around != runs_.begin());
  --around;
  const PageRun old{.first = around->first, .count = around->second.count};
  MYR_ASSERT(around->second.holder == from && run.end() <= old.end());
  erase(around);
  if (old.first < run.first) insert({.first = old.first, .count = run.first - old.first}, from);
  if (run.end() < old.end()) insert({.first = run.end(), .count = old.end() - run.end()}, from);
}

// With the neighbours that have the same holder.
void PageMap::join_in(PageRun run, AgentId to) {
  const auto right = runs_.lower_bound(run.first);
  const auto left = right == runs_.begin() ? runs_.end() : std::prev(right);
  const bool has_left = left != runs_.end();
  const bool has_right = right != runs_.end();
  const std::uint64_t left_end = has_left ? left->first + left->second.count : 0;
  MYR_ASSERT(left_end <= run.first && (!has_right || run.end() <= right->first));
  const bool joins_left = has_left && left_end == run.first && left->second.holder == to;
  const bool joins_right = has_right && right->first == run.end() && right->second.holder == to;
  if (joins_right) {
    run.count += right->second.count;
    erase(right);
  }
  if (joins_left) {
    run = {.first = left->first, .count = left->second.count + run.count};
    erase(left);
  }
  insert(run, to);
}

AgentId PageMap::holder(std::uint64_t page) const {
  const auto after = runs_.upper_bound(page);
  if (after == runs_.begin()) return kElsewhere;
  const auto& [first, held] = *std::prev(after);
  return page < first + held.count ? held.holder : kElsewhere;
}

std::optional<PageRun> PageMap::find_free(std::uint64_t count) const {
  const auto found = free_.lower_bound({count, 0});
  if (found == free_.end()) return {};
  return PageRun{.first = found->second, .count = count};
}

PageRun PageMap::longest_free(std::uint64_t count_max) const {
  MYR_ASSERT(!free_.empty());
  const auto& [count, first] = *free_.rbegin();
  return {.first = first, .count = std::min(count, count_max)};
}

bool PageMap::has_free(PageNeed need) const {
  for (auto run = free_.rbegin(); run != free_.rend() && run->first >= need.run; ++run) {
    const std::uint64_t fitting = run->first / need.run;
    if (fitting >= need.times) return true;
    need.times -= fitting;
  }
  return need.times == 0;
}

std::uint64_t PageMap::page_count() const {
  std::uint64_t count = 0;
  for (const auto& [first, held] : runs_) count += held.count;
  return count;
}

std::uint64_t PageMap::count_of(AgentId holder) const {
  std::uint64_t count = 0;
  for (const auto& [first, held] : runs_) count += held.holder == holder ? held.count : 0;
  return count;
}

const char* PageMap::broken_invariant() const {
  std::uint64_t last_end = 0;
  AgentId last_holder = kElsewhere;
  std::size_t free_runs = 0;
  for (const auto& [first, held] : runs_) {
    if (held.count == 0 || held.holder == kElsewhere) return "a run is nothing";
    if (first < last_end) return "two runs overlap";
    if (first == last_end && held.holder == last_holder) return "neighbours have one holder";
    last_end = first + held.count;
    last_holder = held.holder;
    if (held.holder != kFree) continue;
    free_runs += 1;
    if (!free_.contains({held.count, first})) return "a free run is not found by its length";
  }
  if (free_runs != free_.size()) return "a run is found that is not free";
  if (count_of(kFree) != free_count_) return "another number of free pages is counted";
  return nullptr;
}

}  // namespace myr::sched
