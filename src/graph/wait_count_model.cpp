// SPDX-License-Identifier: Apache-2.0
//
// The count of predecessors under the explorer: whatever ends while a task is being linked, exactly
// one thread lets it run, and that thread sees what all predecessors wrote.
#include <doctest/doctest.h>

#include <array>
#include <cstddef>

#include "explore/must_hold.hpp"
#include "graph/successor_list.hpp"
#include "graph/wait_count.hpp"

using namespace myr;
using graph::Granule;
using graph::SuccessorList;
using graph::WaitCount;
using Push = SuccessorList::Push;

namespace {

constexpr std::uint64_t kFirst = 1;  // generation of a new list

// A task that waits for up to three predecessors, over an edge of its own for each. Edge `i` is
// named by granule i + 1.
struct Bench {
  struct Predecessor {
    SuccessorList successors;
    sync::Plain<int> result{0};  // what it writes
  };
  WaitCount waiting;
  sync::Plain<int> closure{0};  // of the task: written by the spawner
  std::array<Predecessor, 3> predecessors;
  std::array<graph::Edge, 3> edges;
  std::array<bool, 3> is_predecessor{};
  int ran = 0;

  // What a Linker does. Returns the number of edges made.
  std::uint32_t link_behind(std::size_t index) {
    is_predecessor[index] = true;
    const auto granule = static_cast<Granule>(index + 1);
    edges[index].task = 1;
    SuccessorList& list = predecessors[index].successors;
    return list.push(kFirst, granule, edges[index]) == Push::Linked ? 1 : 0;
  }
  // Before the threads start.
  void start_behind_two() {
    closure = 1;
    waiting.start();
    explore::check(!waiting.commit(link_behind(0) + link_behind(1)), "nobody has ended");
  }
  // A predecessor ends, whose child, if it has one, the task must wait for too.
  void close_predecessor(std::size_t index, bool has_child) {
    predecessors[index].result = 1;
    const Granule head = predecessors[index].successors.close();
    waiting.hold(1);
    waiting.let_go(1 - (has_child ? link_behind(2) : 0));
    count_off_all(head);
  }
  void run() {
    explore::check(closure == 1, "the task sees its closure");
    for (std::size_t i = 0; i < predecessors.size(); ++i) {
      if (!is_predecessor[i]) continue;
      explore::check(predecessors[i].result == 1, "the task sees what its predecessors wrote");
    }
    ran += 1;
  }
  void count_off_all(Granule head) {
    while (head != 0) {
      head = edges[head - 1].next;
      if (waiting.count_off()) run();
    }
  }
  void end(std::size_t index) {
    predecessors[index].result = 1;
    count_off_all(predecessors[index].successors.complete());
  }
  // A wait behind two predecessors.
  void begin_wait() {
    closure = 1;
    waiting.start();
    const std::uint32_t linked = link_behind(0) + link_behind(1);
    waiting.commit_held(linked);
  }
};

}  // namespace

TEST_CASE("a task linked behind two that end meanwhile runs once, after both") {
  explore::must_hold([](explore::Threads& threads) {
    Bench bench;
    threads.start([&] {
      bench.closure = 1;
      bench.waiting.start();
      const std::uint32_t linked = bench.link_behind(0) + bench.link_behind(1);
      if (linked == 0 || bench.waiting.commit(linked)) bench.run();
    });
    for (std::size_t i = 0; i < 2; ++i) {
      threads.start([&, i] { bench.end(i); });
    }
    threads.join();
    explore::check(bench.ran == 1, "the task runs once");
  });
}

// Predecessor 0 ends before its child, predecessor 2, which uses the same memory.
TEST_CASE("a task that inherits a predecessor runs once, after all of them") {
  explore::must_hold([](explore::Threads& threads) {
    Bench bench;
    bench.start_behind_two();
    threads.start([&] { bench.close_predecessor(0, true); });
    threads.start([&] { bench.end(1); });
    threads.start([&] { bench.end(2); });
    threads.join();
    explore::check(bench.ran == 1, "the task runs once");
  });
}

// Both first predecessors end before a child each, in the middle of the other's hold.
TEST_CASE("two threads may make one task inherit at a time") {
  explore::must_hold([](explore::Threads& threads) {
    Bench bench;
    bench.start_behind_two();
    for (std::size_t i = 0; i < 2; ++i) {
      threads.start([&, i] { bench.close_predecessor(i, i == 0); });
    }
    threads.start([&] { bench.end(2); });
    threads.join();
    explore::check(bench.ran == 1, "the task runs once");
  });
}

TEST_CASE("who sees that its hold is the last one may use the memory again at once") {
  explore::must_hold([](explore::Threads& threads) {
    Bench bench;
    threads.start([&] {
      bench.begin_wait();
      while (!bench.waiting.is_last()) sync::spin_pause();
      bench.run();
      bench.waiting.start();  // the next task in this memory
      explore::check(bench.waiting.commit(0), "nobody disturbs the count of the next task");
    });
    for (std::size_t i = 0; i < 2; ++i) {
      threads.start([&, i] { bench.end(i); });
    }
    threads.join();
    explore::check(bench.ran == 1, "the waiter goes on");
  });
}

TEST_CASE("a waiter that counts itself off is resumed once, by itself or by the last predecessor") {
  explore::must_hold([](explore::Threads& threads) {
    Bench bench;
    threads.start([&] {
      bench.begin_wait();
      if (bench.waiting.count_off()) bench.run();
    });
    for (std::size_t i = 0; i < 2; ++i) {
      threads.start([&, i] { bench.end(i); });
    }
    threads.join();
    explore::check(bench.ran == 1, "the waiter goes on");
  });
}
