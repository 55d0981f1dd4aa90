// SPDX-License-Identifier: Apache-2.0
#include "sched/page_directory.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "base/contract.hpp"

namespace myr::sched {

using proto::kPageBytes;
using proto::kPageShift;

namespace {

std::uint64_t multiply_saturating(std::uint64_t a, std::uint64_t b) noexcept {
  std::uint64_t product = 0;
  return __builtin_mul_overflow(a, b, &product) ? std::numeric_limits<std::uint64_t>::max()
                                                : product;
}

std::uint64_t add_saturating(std::uint64_t a, std::uint64_t b) noexcept {
  std::uint64_t sum = 0;
  return __builtin_add_overflow(a, b, &sum) ? std::numeric_limits<std::uint64_t>::max() : sum;
}

std::uint64_t divide_up(std::uint64_t a, std::uint64_t b) noexcept {
  return a / b + static_cast<std::uint64_t>(a % b != 0);
}

std::size_t scheduler_count(const Topology& topology, AgentId top) {
  return topology.scheduler_number(topology.end(top)) - topology.scheduler_number(top);
}

}  // namespace

std::uint64_t pages_for(std::uint64_t bytes, std::uint64_t count) noexcept {
  if (bytes >= kPageBytes) return multiply_saturating(divide_up(bytes, kPageBytes), count);
  return divide_up(multiply_saturating(bytes, count), kPageBytes);
}

PageDirectory::PageDirectory(Link& link, Store& store, PageRun memory, std::uint64_t spare_pages)
    : link_(link),
      store_(store),
      reserve_(spare_pages * scheduler_count(link.topology(), link.self())) {
  if (is_top()) map_.assign(memory, PageMap::kElsewhere, PageMap::kFree);
  store_.start(*this);
}

AgentId PageDirectory::holder(std::uint64_t address) const {
  const AgentId holder = map_.holder(address >> kPageShift);
  return holder == PageMap::kFree || holder == PageMap::kElsewhere ? proto::kNoAgent : holder;
}

// ---- the own store ----------------------------------------------------------------------------

std::optional<PageRun> PageDirectory::take(std::uint64_t count) {
  const std::optional<PageRun> run = map_.find_free(count);
  if (run) {
    map_.assign(*run, PageMap::kFree, link_.self());
  } else {
    refused_run_ = count;
  }
  return run;
}

void PageDirectory::give(PageRun run) { map_.assign(run, link_.self(), PageMap::kFree); }

void PageDirectory::wait(std::uint64_t page_count, Waiter waiter) {
  const std::uint64_t run = std::max<std::uint64_t>(std::exchange(refused_run_, 0), 1);
  const std::uint64_t times = std::max<std::uint64_t>(divide_up(page_count, run), 1);
  needs_.push_back(
      {.asker = link_.self(), .need = {.run = run, .times = times}, .waiter = std::move(waiter)});
  serve();
}

// ---- the queue --------------------------------------------------------------------------------

void PageDirectory::serve() {
  while (!needs_.empty() && !is_asking_ && missing_ == 0) {
    if (serve_first()) {
      needs_.pop_front();
    } else {
      seek_for_first();
    }
  }
}

bool PageDirectory::serve_first() {
  const Need& first = needs_.front();
  if (first.asker == link_.self()) return first.waiter.retry();
  if (!map_.has_free(first.need)) return false;
  grant(first);
  return true;
}

void PageDirectory::refuse_first() {
  const Need& first = needs_.front();
  if (first.asker == link_.self()) {
    first.waiter.give_up();
  } else {
    link_.send(first.asker, proto::PagesGranted{.runs = {}});
  }
}

void PageDirectory::seek_for_first() {
  if (is_top()) {
    begin_collecting();
    return;
  }
  const std::uint64_t spare = reserve_ - std::min(reserve_, map_.free_count());
  link_.send(link_.topology().parent(link_.self()),
             proto::PagesWanted{.need = needs_.front().need, .spare = spare});
  is_asking_ = true;
}

// Spare pages too, but no more than half of what is left: so all get less as memory runs out.
void PageDirectory::grant(const Need& need) {
  std::vector<PageRun> runs;
  for (std::uint64_t i = 0; i < need.need.times; ++i) {
    move_free(*map_.find_free(need.need.run), need.asker, runs);
  }
  std::uint64_t spare = std::min(need.spare, map_.free_count() / 2);
  while (spare != 0) {
    const PageRun run = map_.longest_free(spare);
    move_free(run, need.asker, runs);
    spare -= run.count;
  }
  link_.send(need.asker, proto::PagesGranted{.runs = std::move(runs)});
}

// Neighbours become one run.
void PageDirectory::move_free(PageRun run, AgentId to, std::vector<PageRun>& runs) {
  map_.assign(run, PageMap::kFree, to);
  if (!runs.empty() && runs.back().end() == run.first) {
    runs.back().count += run.count;
  } else {
    runs.push_back(run);
  }
}

void PageDirectory::handle(AgentId from, const proto::PagesWanted& message) {
  needs_.push_back({.asker = from, .need = message.need, .spare = message.spare});
  serve();
}

void PageDirectory::handle(AgentId, const proto::PagesGranted& message) {
  MYR_ASSERT(is_asking_ && missing_ == 0);
  is_asking_ = false;
  for (const PageRun run : message.runs) map_.assign(run, PageMap::kElsewhere, PageMap::kFree);
  if (serve_first()) {
    needs_.pop_front();
  } else if (message.runs.empty()) {
    refuse_first();
    needs_.pop_front();
  } else {
    // The store had underestimated itself, or wants another length now.
    PageNeed& need = needs_.front().need;
    need.run = std::max(need.run, refused_run_);
    need.times = add_saturating(need.times, need.times / 8 + 1);
  }
  serve();
}

// ---- pages come back --------------------------------------------------------------------------

void PageDirectory::handle(AgentId, const proto::PagesDemanded&) {
  begin_collecting();
  serve();
}

void PageDirectory::handle(AgentId from, const proto::PagesReturned& message) {
  for (const PageRun run : message.runs) map_.assign(run, from, PageMap::kFree);
  if (!message.was_demanded) return;
  MYR_ASSERT(missing_ != 0);
  missing_ -= 1;
  if (missing_ == 0) finish_collecting();
  serve();
}

void PageDirectory::begin_collecting() {
  MYR_ASSERT(missing_ == 0);
  if (!link_.topology().is_leaf_scheduler(link_.self())) {
    for (const AgentId child : link_.topology().children(link_.self())) {
      link_.send(child, proto::PagesDemanded{});
      missing_ += 1;
    }
  }
  if (missing_ == 0) finish_collecting();
}

void PageDirectory::finish_collecting() {
  store_.trim();
  if (!is_top()) {
    send_up(0, true);
    return;
  }
  if (!serve_first()) refuse_first();
  needs_.pop_front();
}

const char* PageDirectory::broken_invariant() const {
  const bool is_waited_for = is_asking_ || missing_ != 0;
  if (is_asking_ && (is_top() || needs_.empty())) return "nobody here needs what is asked for";
  if (!needs_.empty() && !is_waited_for) return "a need for pages waits for nothing";
  return map_.broken_invariant();
}

void PageDirectory::give_back() {
  const bool is_too_much = map_.free_count() > 2 * reserve_;
  if (is_top() || !is_too_much || !needs_.empty() || missing_ != 0) return;
  send_up(reserve_, false);
}

void PageDirectory::send_up(std::uint64_t keep_count, bool was_demanded) {
  std::vector<PageRun> runs;
  while (map_.free_count() > keep_count) {
    move_free(map_.longest_free(map_.free_count() - keep_count), PageMap::kElsewhere, runs);
  }
  link_.send(link_.topology().parent(link_.self()),
             proto::PagesReturned{.runs = std::move(runs), .was_demanded = was_demanded});
}

}  // namespace myr::sched
