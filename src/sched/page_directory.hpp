// SPDX-License-Identifier: Apache-2.0
//
// PageDirectory: the pages at and below one scheduler, and the trade with the schedulers above and
// below (paper 2, section 5). The top has all pages at first.
//
//   up    PagesWanted, PagesReturned       down    PagesGranted, PagesDemanded
//
// Needs for pages, of the own store or of a child, join a queue; its first is served from free
// pages, or waits for the answer from above. When the top cannot serve its first, it collects all
// pages that lie idle anywhere, and then knows: pages or a refusal, which goes all the way down. So
// a refusal is exact, also about pages side by side that different schedulers had.
//
// Invariants
//   1. A need that is asked for above is asked for in full, whatever is free here: no difference is
//      taken that could be negative, and pages collected meanwhile are not missed.
//   2. Granted pages are used by the need they came for in the same event; nobody collects them in
//      between. So two schedulers that need pages never take them from each other for ever.
//   3. A collection waits for children only, and nothing is served while it lasts; so it ends.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <vector>

#include "proto/messages.hpp"
#include "sched/environment.hpp"
#include "sched/link.hpp"
#include "sched/page_map.hpp"

namespace myr::sched {

// Pages that one object size needs, at least. Sizes without bound are answered with ones.
[[nodiscard]] std::uint64_t pages_for(std::uint64_t bytes, std::uint64_t count) noexcept;

class PageDirectory final : public PageSupply {
 public:
  // What waits for pages: tries again, and says whether that went well; or gives up.
  struct Waiter {
    std::function<bool()> retry;
    std::function<void()> give_up;
  };

  // `memory`: all pages there are, for the top. `spare_pages`: what a scheduler keeps free for
  // itself, and for each scheduler below it; twice that, and it gives pages back.
  PageDirectory(Link& link, Store& store, PageRun memory, std::uint64_t spare_pages);

  // For the store.
  [[nodiscard]] std::optional<PageRun> take(std::uint64_t count) override;
  void give(PageRun run) override;
  // The store has just been refused pages, or what it was to do is beyond its limits; all in all it
  // would use at least `page_count` pages.
  void wait(std::uint64_t page_count, Waiter waiter);

  // Which child, or this scheduler, has the address; kNoAgent: none of them.
  [[nodiscard]] AgentId holder(std::uint64_t address) const;

  void handle(AgentId from, const proto::PagesWanted& message);
  void handle(AgentId from, const proto::PagesGranted& message);
  void handle(AgentId from, const proto::PagesDemanded& message);
  void handle(AgentId from, const proto::PagesReturned& message);
  // After each event: gives back what is too much.
  void give_back();

  [[nodiscard]] bool is_idle() const noexcept { return needs_.empty(); }
  [[nodiscard]] const PageMap& pages() const noexcept { return map_; }
  // nullptr, or what does not hold between two events. Cost: O(all that is here).
  [[nodiscard]] const char* broken_invariant() const;

 private:
  struct Need {
    AgentId asker;  // a child, or this scheduler
    PageNeed need;
    std::uint64_t spare = 0;
    Waiter waiter = {};  // of this scheduler
  };

  [[nodiscard]] bool is_top() const noexcept { return link_.self() == proto::kTop; }
  void serve();
  [[nodiscard]] bool serve_first();
  void refuse_first();
  void seek_for_first();
  void grant(const Need& need);
  void move_free(PageRun run, AgentId to, std::vector<PageRun>& runs);
  void begin_collecting();
  void finish_collecting();
  void send_up(std::uint64_t keep_count, bool was_demanded);

  Link& link_;
  Store& store_;
  PageMap map_;
  std::uint64_t reserve_;
  std::deque<Need> needs_;
  std::uint64_t refused_run_ = 0;  // of the last take() in vain
  bool is_asking_ = false;         // above, for the first need
  std::size_t missing_ = 0;        // children whose idle pages are being collected
};

}  // namespace myr::sched
