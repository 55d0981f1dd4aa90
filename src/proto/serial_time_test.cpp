// SPDX-License-Identifier: Apache-2.0
#include "proto/serial_time.hpp"

#include <doctest/doctest.h>

#include <random>
#include <vector>

#include "proto/ids.hpp"

using namespace myr::proto;

namespace {

using Counts = std::vector<std::uint64_t>;

}  // namespace

TEST_CASE("times are in the order of the serial program") {
  std::mt19937 random(1);
  std::vector<SerialClock> bodies(1);  // of tasks
  std::vector<SerialTime> times;
  for (int i = 0; i < 400; ++i) {
    SerialClock& body = bodies[random() % bodies.size()];
    times.push_back(body.now());
    times.push_back(body.spawn());
    bodies.emplace_back(times.back());
  }
  for (const SerialTime& a : times) {
    const Counts counts = a.counts();
    CHECK(counts.size() == a.depth() + 1);
    // One that another process has sent shares nothing with those here.
    const SerialTime copy = SerialTime::of_counts(counts);
    CHECK(copy == a);
    for (const SerialTime& b : times) {
      CHECK((a < b) == (counts < b.counts()));
      CHECK((copy < b) == (a < b));
    }
  }
}

TEST_CASE("a task may spawn more children than 32 bits count") {
  const Counts late{2 * (std::uint64_t{1} << 32)};
  SerialClock body(SerialTime::of_counts(Counts{1}));
  SerialTime last = SerialTime::of_counts(late);
  const SerialTime child = last.spawn();
  CHECK(SerialTime::of_counts(Counts{2}) < child);
  CHECK(body.now() < child);
}

// With a list of numbers in each time, this took 40 GB.
TEST_CASE("a chain of nested tasks takes memory and time for each of them, not for their square") {
  constexpr std::uint32_t kDepth = 100'000;
  std::vector<SerialTime> spawns;
  SerialClock body;
  const SerialTime early = body.now();
  for (std::uint32_t i = 0; i < kDepth; ++i) {
    spawns.push_back(body.spawn());
    body = SerialClock(spawns.back());
  }
  const SerialTime late = SerialTime().spawn();
  for (const SerialTime& spawn : spawns) {
    CHECK(early < spawn);
    CHECK_FALSE(spawn < late);
  }
  CHECK(spawns.back().depth() == kDepth - 1);
}

TEST_CASE("the number of a task is never that of main, nor of another task") {
  const std::uint64_t many = std::uint64_t{1} << 31;
  CHECK(make_task_id(kTop, 0, false, many) != make_task_id(kTop, 0, false, 0));
  CHECK(make_task_id(kTop, 0, false, kTaskSerialMax) != make_task_id(kTop, 0, true, 0));
  const AgentId last = kAgentsMax - 1;
  const auto id = make_task_id(last, kDepthMax, true, kTaskSerialMax);
  CHECK(home_of(id) == last);
  CHECK(needs_data(id));
  CHECK(home_of(make_task_id(kTop, kDepthMax, true, kTaskSerialMax)) == kTop);
  CHECK(id != make_task_id(last, kDepthMax - 1, true, kTaskSerialMax));
}
