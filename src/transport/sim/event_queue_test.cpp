// SPDX-License-Identifier: Apache-2.0
#include "transport/sim/event_queue.hpp"

#include <doctest/doctest.h>

#include <queue>
#include <random>
#include <tuple>
#include <vector>

namespace myr::transport::sim {

TEST_CASE("events of the same time come out in the order in which they were put in") {
  EventQueue<unsigned> queue;
  queue.push(1'000'000, 0);
  queue.push(5, 1);
  queue.push(1'000'000, 2);
  CHECK(queue.pop() == 1);
  queue.push(5, 3);  // now
  queue.push(1'000'000, 4);
  CHECK(queue.pop() == 3);
  CHECK(queue.now() == 5);
  CHECK(queue.pop() == 0);
  queue.push(1'000'000, 5);
  CHECK(queue.pop() == 2);
  CHECK(queue.pop() == 4);
  CHECK(queue.pop() == 5);
  CHECK(queue.is_empty());
}

TEST_CASE("the last time that there is") {
  EventQueue<unsigned> queue;
  queue.push(~Cycles{0}, 0);
  queue.push(0, 1);
  CHECK(queue.pop() == 1);
  CHECK(queue.pop() == 0);
  CHECK(queue.now() == ~Cycles{0});
}

TEST_CASE("random delays come out like from a sorted queue") {
  const std::uint64_t seed = std::random_device{}();
  CAPTURE(seed);
  std::mt19937_64 random(seed);
  using Entry = std::tuple<Cycles, unsigned>;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> expected;
  EventQueue<unsigned> queue;
  for (unsigned number = 0; number < 50'000; ++number) {
    if (random() % 8 < 5 || expected.empty()) {
      const Cycles time = queue.now() + (random() & ((Cycles{1} << random() % 40) - 1));
      queue.push(time, number);
      expected.emplace(time, number);
    } else {
      REQUIRE(queue.pop() == std::get<1>(expected.top()));
      REQUIRE(queue.now() == std::get<0>(expected.top()));
      expected.pop();
    }
    REQUIRE(queue.size() == expected.size());
  }
}

}  // namespace myr::transport::sim
