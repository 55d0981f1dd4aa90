// SPDX-License-Identifier: Apache-2.0
//
// References to closed tasks under the explorer: a domain is not taken from its readers, the memory
// is recycled once, and a reader that comes too late disturbs neither.
#include <doctest/doctest.h>

#include "explore/must_hold.hpp"
#include "graph/reference_count.hpp"
#include "graph/successor_list.hpp"

using namespace myr;
using graph::ReferenceCount;
using graph::SuccessorList;

namespace {

constexpr std::uint64_t kFirst = 1;  // generation of a new list

// The memory of one task, as far as closed tasks go.
struct Bench {
  SuccessorList successors;
  ReferenceCount references;
  sync::Plain<int> domain{0};  // 0: none; else the generation that it belongs to
  int recycled = 0;

  void attach(int generation) {
    domain = generation;
    references.attach();
  }
  void recycle() {
    domain = 0;
    recycled += 1;
  }
  void retire() {
    static_cast<void>(successors.complete());
    if (references.drop()) recycle();
  }
  // What Linker::inherit_if_closed() does. True: it read the domain.
  bool read(std::uint64_t generation) {
    if (!references.try_add()) return false;
    const bool is_closed = successors.is_closed(generation);
    if (is_closed) {
      explore::check(domain == static_cast<int>(generation), "the domain is the closed task's");
    }
    if (references.drop()) recycle();
    return is_closed;
  }
};

}  // namespace

TEST_CASE("a closed task is recycled once, after its last reader") {
  explore::must_hold([](explore::Threads& threads) {
    Bench bench;
    threads.start([&] {
      bench.attach(kFirst);
      static_cast<void>(bench.successors.close());
      bench.retire();
    });
    for (int i = 0; i < 2; ++i) {
      threads.start([&] { static_cast<void>(bench.read(kFirst)); });
    }
    threads.join();
    explore::check(bench.recycled == 1, "the memory is recycled once");
  });
}

// The thread that runs the next task in this memory got it from the thread that recycled it.
TEST_CASE("a late reader counts on the reference of the next task and does no harm") {
  explore::must_hold([](explore::Threads& threads) {
    Bench bench;
    sync::Atomic<int> free{0};
    const auto give_back = [&](int before) {
      if (bench.recycled != before) free.store(bench.recycled, sync::release);
    };
    threads.start([&] {
      bench.attach(kFirst);
      static_cast<void>(bench.successors.close());
      bench.retire();
      give_back(0);
      while (free.load(sync::acquire) == 0) sync::spin_pause();
      bench.attach(kFirst + 1);
      static_cast<void>(bench.successors.close());
      bench.retire();
    });
    threads.start([&] {
      static_cast<void>(bench.read(kFirst));
      give_back(0);
    });
    threads.join();
    explore::check(bench.recycled == 2, "the memory of each task is recycled once");
  });
}
