// SPDX-License-Identifier: Apache-2.0
//
// PageMap: who holds each of the pages at and below one scheduler, by runs of neighbours: its own
// store, a child, or nobody. The part of paper 2's free and used range tries that is about pages.
//
// Invariants
//   1. Runs do not overlap, and neighbours have different holders.
//   2. free_ has exactly the runs of kFree, and free_count_ is their pages.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "proto/agent.hpp"
#include "proto/pages.hpp"

namespace myr::sched {

using proto::AgentId;
using proto::PageNeed;
using proto::PageRun;

class PageMap {
 public:
  // Holders that are no agents: here, but nobody's; and not here.
  static constexpr AgentId kFree = proto::kNoAgent;
  static constexpr AgentId kElsewhere = proto::kNoAgent - 1;

  // Passes pages on. REQUIRES: `from` holds all of them. Cost: O(log runs).
  void assign(PageRun run, AgentId from, AgentId to);
  // Cost: O(log runs).
  [[nodiscard]] AgentId holder(std::uint64_t page) const;

  // `count` free pages side by side, from the shortest run that has them, or none.
  // Cost: O(log runs).
  [[nodiscard]] std::optional<PageRun> find_free(std::uint64_t count) const;
  // At most `count_max` free pages, from the longest run. REQUIRES: there is a free page.
  [[nodiscard]] PageRun longest_free(std::uint64_t count_max) const;
  // Are there free pages for all of it? Cost: the number of runs that serve it.
  [[nodiscard]] bool has_free(PageNeed need) const;
  [[nodiscard]] std::uint64_t free_count() const noexcept { return free_count_; }
  // The pages of all holders. Cost: O(runs).
  [[nodiscard]] std::uint64_t page_count() const;
  // The pages of one holder. Cost: O(runs).
  [[nodiscard]] std::uint64_t count_of(AgentId holder) const;
  // nullptr, or what of the invariants does not hold. Cost: O(runs).
  [[nodiscard]] const char* broken_invariant() const;

 private:
  struct Held {
    std::uint64_t count;
    AgentId holder;
  };
  using Runs = std::map<std::uint64_t, Held>;

  void insert(PageRun run, AgentId holder);
  void erase(Runs::iterator run);
  void cut_out(PageRun run, AgentId from);
  void join_in(PageRun run, AgentId to);

  Runs runs_;                                               // by first page
  std::set<std::pair<std::uint64_t, std::uint64_t>> free_;  // count and first page
  std::uint64_t free_count_ = 0;
};

}  // namespace myr::sched
