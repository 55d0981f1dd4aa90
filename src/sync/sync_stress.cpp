// SPDX-License-Identifier: Apache-2.0
//
// All shared queues together on more threads than cores, for a second: workers run binary trees of
// items, steal from each other, send the items home when done, and sleep when there is nothing to
// do. Every leaf must run once, and no round may hang.
#include <doctest/doctest.h>

#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "plat/clock.hpp"
#include "plat/cpu_quota.hpp"
#include "plat/thread.hpp"
#include "sync/return_stack.hpp"
#include "sync/sleepers.hpp"
#include "sync/work_ring.hpp"

using namespace myr;

namespace {

constexpr unsigned kTreeDepth = 12;
constexpr std::uint64_t kLimitNs = 1'000'000'000;

struct Item {
  Item* next = nullptr;
  unsigned depth = 0;
  unsigned home = 0;
};

struct Worker {
  sync::WorkRing<Item, 16> ring;  // small, so that it is often full
  sync::ReturnStack<Item> returned;
  std::deque<Item> memory;  // grows only
  Item* free = nullptr;
};

class Pool {
 public:
  explicit Pool(unsigned worker_count) : sleepers_(worker_count) {
    for (unsigned i = 0; i < worker_count; ++i) workers_.push_back(std::make_unique<Worker>());
  }

  // Runs one tree on all workers. Returns how many leaves ran.
  std::uint64_t run_round() {
    leaf_count_.store(0, sync::relaxed);
    std::vector<plat::Thread> threads;
    for (unsigned i = 0; i < workers_.size(); ++i) {
      auto thread = plat::Thread::start({.name = "stress"}, [this, i] { work(i); });
      REQUIRE(static_cast<bool>(thread));
      threads.push_back(std::move(*thread));
    }
    threads.clear();
    return leaf_count_.load(sync::relaxed);
  }

 private:
  static constexpr std::uint64_t kLeaves = std::uint64_t{1} << kTreeDepth;

  void work(unsigned self) {
    if (self == 0) run(self, make(self, kTreeDepth));
    while (leaf_count_.load(sync::acquire) != kLeaves) {
      Item* item = find(self);
      if (item == nullptr) item = sleep(self);
      if (item != nullptr) run(self, item);
    }
  }

  Item* find(unsigned self) {
    Item* item = workers_[self]->ring.owner_pop();
    for (unsigned i = 1; item == nullptr && i < workers_.size(); ++i) {
      item = steal(self, *workers_[(self + i) % workers_.size()]);
    }
    return item;
  }

  // Takes one item for the caller, and more for its ring.
  Item* steal(unsigned self, Worker& victim) {
    Item* items[4];
    const unsigned count = victim.ring.thief_take_some(items, 4);
    for (unsigned i = 1; i < count; ++i) push(self, items[i]);
    return count != 0 ? items[0] : nullptr;
  }

  Item* sleep(unsigned self) {
    sleepers_.announce(self);
    Item* item = find(self);
    if (item != nullptr || leaf_count_.load(sync::acquire) == kLeaves) {
      sleepers_.cancel(self);
    } else {
      sleepers_.wait(self);
    }
    return item;
  }

  void run(unsigned self, Item* item) {
    const unsigned depth = item->depth;
    workers_[item->home]->returned.any_push_chain(item, item);
    if (depth == 0) {
      if (leaf_count_.fetch_add(1, sync::acq_rel) + 1 == kLeaves) {
        for (unsigned i = 0; i < workers_.size(); ++i) sleepers_.post_to(i);
      }
      return;
    }
    for (int child = 0; child < 2; ++child) push(self, make(self, depth - 1));
  }

  void push(unsigned self, Item* item) {
    if (workers_[self]->ring.owner_push(item)) {
      sleepers_.post();
    } else {
      run(self, item);
    }
  }

  Item* make(unsigned self, unsigned depth) {
    Worker& worker = *workers_[self];
    if (worker.free == nullptr) worker.free = worker.returned.owner_take_all();
    if (worker.free == nullptr) worker.free = &worker.memory.emplace_back();
    Item* item = worker.free;
    worker.free = item->next;
    item->depth = depth;
    item->home = self;
    return item;
  }

  std::vector<std::unique_ptr<Worker>> workers_;
  sync::Sleepers sleepers_;
  sync::Atomic<std::uint64_t> leaf_count_{0};
};

}  // namespace

TEST_CASE("trees of items run completely on more threads than cores") {
  Pool pool(plat::usable_cpu_count() + 2);
  const std::uint64_t start_ns = plat::now_ns();
  unsigned rounds = 0;
  do {
    REQUIRE(pool.run_round() == std::uint64_t{1} << kTreeDepth);
    rounds += 1;
  } while (plat::now_ns() - start_ns < kLimitNs);
  MESSAGE("rounds: ", rounds);
}
