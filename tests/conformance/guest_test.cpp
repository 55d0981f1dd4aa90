// SPDX-License-Identifier: Apache-2.0
//
// docs/semantics.md, "Machines": a thread that the program has started is a root beside main, with
// a region 0 of its own, for its tasks as well.
#include <functional>
#include <numeric>
#include <thread>
#include <tuple>
#include <vector>

#include "support.hpp"

namespace myr::conformance {

namespace {

void as_guests(unsigned count, const std::function<void()>& call) {
  if (is_machine("sim") || is_machine("mpi")) return;
  std::ignore = myr_init();
  std::vector<std::thread> threads;
  for (unsigned i = 0; i < count; ++i) threads.emplace_back(call);
  for (std::thread& thread : threads) thread.join();
}

// Allocates, frees and makes regions in region 0, down to some level.
void use_all(unsigned level, int& sum) {
  int* const object = Region::root().make<int>(1);
  const Region inside = Region::create();
  int* const other = inside.make<int>(2);
  if (level != 0) {
    spawn(uses(inout(Region::root())), [level](int& s) { use_all(level - 1, s); }, inout(sum));
  }
  wait(inout(Region::root()), inout(sum));
  auto* const longer = static_cast<int*>(myr_realloc(object, 1000, MYR_ROOT));
  sum += *longer + *other;
  std::vector<void*> many(10);
  myr_alloc_many(100, MYR_ROOT, many.size(), many.data());
  for (void* each : many) myr_free(each);
  myr_free(Region::root().make_blocks<int>(1000, 4096));
  myr_free(longer);
  inside.free();
}

}  // namespace

TEST_CASE("tasks of a thread of the program use its region 0 as main's tasks use main's") {
  for (const unsigned count : {1U, 3U}) {
    as_guests(count, [] {
      for (int step = 0; step < 5; ++step) {
        int sum = 0;
        spawn(uses(inout(Region::root())), [](int& s) { use_all(3, s); }, inout(sum));
        int* const made = Region::root().make<int>(5);  // waits for it
        spawn(uses(in(Region::root())), [](const int* p, int& s) { s += *p; }, made, inout(sum));
        wait_all();
        CHECK(sum == 4 * 3 + 5);
        myr_free(made);
      }
    });
  }
}

TEST_CASE("what is between the tasks of such a thread is in order, by region 0") {
  as_guests(2, [] {
    std::vector<int> seen;
    int* const number = Region::root().make<int>(0);
    spawn(uses(inout(Region::root())), [number, to = &seen] {
      for (int i = 0; i < 50; ++i) {
        if (i % 3 == 0) {
          spawn(uses(inout(Region::root())), [number, to] { to->push_back(++*number); });
        } else {
          spawn([to](int* n) { to->push_back(++*n); }, inout(number));
        }
      }
    });
    wait_all();
    std::vector<int> expected(50);
    std::iota(expected.begin(), expected.end(), 1);
    CHECK(seen == expected);
  });
}

TEST_CASE("loops of such a thread, and of its tasks, over its region 0") {
  as_guests(2, [] {
    std::vector<int> a(300);
    int* const step = Region::root().make<int>(3);
    const auto body = [p = a.data(), step](std::size_t i) {
      take_time(500);
      p[i] += *step;
    };
    for (int k = 0; k < 5; ++k) {
      for_each(grain(1), Range{0, a.size()}, in(Region::root()), inout(a, part), body);
    }
    spawn(
        uses(inout(Region::root())),
        [body, p = a.data()](Tile<int>) {
          for_each(grain(1), Range{0, 300}, in(Region::root()), inout(p, part), body);
          wait_all();
        },
        inout(tile(a.data(), 1, 300, 300)));
    wait_all();
    CHECK(a == std::vector<int>(300, 18));
  });
}

TEST_CASE("steps of such a thread's tasks that name region 0 repeat") {
  as_guests(1, [] {
    int sum = 0;
    spawn(
        uses(inout(Region::root())),
        [](int& s) {
          Recording recording;
          for (int i = 0; i < 6; ++i) {
            recording.step([&s] {
              for (int k = 0; k < 8; ++k) {
                spawn(
                    uses(inout(Region::root())),
                    [](int& t) {
                      int* const made = Region::root().make<int>(1);
                      t += *made;
                      myr_free(made);
                    },
                    inout(s));
              }
            });
          }
          wait_all();
        },
        inout(sum));
    wait_all();
    CHECK(sum == 48);
  });
}

TEST_CASE("an array with blocks of such a thread orders tasks by blocks") {
  // Elsewhere parts of an array are exact, and these tasks would race.
  if (is_of_agents() && !is_machine("master")) return;
  as_guests(1, [] {
    auto* const array = Region::root().make_blocks<long>(1024, 4096);
    for (std::size_t i = 0; i < 200; ++i) {
      // Different bytes of two blocks: each task counts in the first element of its own.
      spawn([array, i](long*) { array[i % 2 * 512] = array[i % 2 * 512] * 3 % 1009 + 1; },
            inout(array + i % 2 * 512 + 1 + i, 1));
    }
    wait(in(array));
    long expected = 0;
    for (int i = 0; i < 100; ++i) expected = expected * 3 % 1009 + 1;
    CHECK(array[0] == expected);
  });
}

}  // namespace myr::conformance
