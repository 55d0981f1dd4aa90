// SPDX-License-Identifier: Apache-2.0
//
// Successor lists under the explorer: an edge that is pushed while its predecessor ends is either
// refused or handed to the ending thread, once; a reference to an earlier task in the same memory
// is always refused; and the task that goes on sees what the predecessor wrote.
#include <doctest/doctest.h>

#include <array>
#include <cstddef>

#include "explore/must_hold.hpp"
#include "graph/successor_list.hpp"

using namespace myr;
using graph::Granule;
using graph::SuccessorList;
using Push = SuccessorList::Push;

namespace {

constexpr std::uint64_t kFirst = 1;  // generation of a new list

// A predecessor, and waiting tasks with one edge each. Task `i` and its edge are named by granule i
// + 1.
struct Bench {
  SuccessorList list;
  sync::Plain<int> result{0};  // what the predecessor writes
  std::array<graph::Edge, 2> edges;
  std::array<int, 2> released{};  // how often each task was let go

  Push push(std::size_t task, std::uint64_t generation) {
    const auto granule = static_cast<Granule>(task + 1);
    edges[task].task = granule;
    return list.push(generation, granule, edges[task]);
  }
  void release(std::size_t task, int result_at_least) {
    explore::check(result >= result_at_least, "the waiting task sees the result");
    released[task] += 1;
  }
  // What the ending thread does with the edges it was handed.
  void release_all(Granule head, int result_at_least) {
    while (head != 0) {
      const graph::Edge& edge = edges[head - 1];
      head = edge.next;
      release(edge.task - 1, result_at_least);
    }
  }
  void check_each_released_once() const {
    for (const int count : released) explore::check(count == 1, "each task is released once");
  }
};

}  // namespace

TEST_CASE("an edge pushed while its predecessor completes is released once") {
  explore::must_hold([](explore::Threads& threads) {
    Bench bench;
    for (std::size_t task = 0; task < 2; ++task) {
      threads.start([&, task] {
        const Push push = bench.push(task, kFirst);
        explore::check(push != Push::Closed, "nobody closes the list");
        if (push == Push::Complete) bench.release(task, 1);
      });
    }
    threads.start([&] {
      bench.result = 1;
      bench.release_all(bench.list.complete(), 1);
    });
    threads.join();
    bench.check_each_released_once();
  });
}

TEST_CASE("an edge pushed while its predecessor closes and completes is released once") {
  explore::must_hold([](explore::Threads& threads) {
    Bench bench;
    for (std::size_t task = 0; task < 2; ++task) {
      threads.start([&, task] {
        const Push push = bench.push(task, kFirst);
        if (push == Push::Closed) {
          bench.released[task] += 1;  // the result may be overwritten while we would look
        } else if (push == Push::Complete) {
          bench.release(task, 2);
        }
      });
    }
    threads.start([&] {
      bench.result = 1;
      bench.release_all(bench.list.close(), 1);
      explore::check(bench.list.is_closed(kFirst), "the list is closed");
      bench.result = 2;
      explore::check(bench.list.complete() == 0, "no edge is linked after the close");
    });
    threads.join();
    bench.check_each_released_once();
  });
}

TEST_CASE("who finds the list closed sees what the task wrote before") {
  explore::must_hold([](explore::Threads& threads) {
    Bench bench;
    threads.start([&] {
      if (bench.push(0, kFirst) == Push::Closed) bench.release(0, 1);
      if (bench.list.is_closed(kFirst)) bench.release(1, 1);
    });
    threads.start([&] {
      bench.result = 1;
      bench.release_all(bench.list.close(), 1);
    });
    threads.join();
    explore::check(bench.released[0] == 1, "the pushed task is released once");
  });
}

TEST_CASE("an edge to an earlier task in the same memory is refused") {
  explore::must_hold([](explore::Threads& threads) {
    Bench bench;
    threads.start([&] {
      if (bench.push(0, kFirst) == Push::Complete) bench.released[0] += 1;
    });
    threads.start([&] {
      while (bench.list.generation() == kFirst) sync::spin_pause();
      if (bench.push(1, kFirst + 1) == Push::Complete) bench.released[1] += 1;
    });
    threads.start([&] {
      const Granule first = bench.list.complete();
      explore::check(first == 0 || bench.edges[first - 1].task == 1, "only the first task waits");
      bench.release_all(first, 0);
      const Granule second = bench.list.complete();
      explore::check(second == 0 || bench.edges[second - 1].task == 2, "only the second waits");
      bench.release_all(second, 0);
    });
    threads.join();
    bench.check_each_released_once();
  });
}

TEST_CASE("a late push does not disturb the next task, whose list nobody else may push to") {
  explore::must_hold([](explore::Threads& threads) {
    Bench bench;
    threads.start([&] {
      bench.result = 1;
      bench.release_all(bench.list.complete(), 1);
      explore::check(bench.push(1, kFirst + 1) == Push::Linked, "the next task is open");
      bench.result = 2;
      bench.release_all(bench.list.complete_unshared(), 2);
    });
    threads.start([&] {
      if (bench.push(0, kFirst) == Push::Complete) bench.released[0] += 1;
    });
    threads.start([&] {
      if (bench.list.generation() == kFirst + 2) {
        explore::check(bench.result == 2, "who finds a task complete sees what it wrote");
      }
    });
    threads.join();
    bench.check_each_released_once();
  });
}
