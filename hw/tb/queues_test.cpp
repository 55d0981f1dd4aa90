// SPDX-License-Identifier: Apache-2.0
//
// Benches of the blocks that queue, order and pool, each against a few lines of C++, with random
// stalls on all sides.
#include <Vcrossing_from_tracker.h>
#include <Vfifo.h>
#include <Vfifo_through.h>
#include <Vid_pool.h>
#include <Vrequest_order.h>
#include <Vround_robin_arbiter.h>
#include <Vwork_fetch_arbiter.h>
#include <doctest/doctest.h>

#include <algorithm>
#include <set>
#include <vector>

#include "bench.hpp"

using namespace myr::hw;

namespace {

constexpr unsigned kCycles = 4000;
constexpr unsigned kDepth = 3;
constexpr unsigned kCores = 4;

template <typename Model>
void check_fifo(unsigned seed, unsigned in_percent, unsigned out_percent, bool falls_through) {
  Bench<Model> bench(seed);
  Source<std::uint32_t> source;
  std::deque<std::uint32_t> inside;
  bool was_full = false;
  for (unsigned i = 0; i < kCycles; ++i) {
    source.waiting.push_back(bench.number());
    bench.dut->in_valid_i = source.offer(bench, in_percent);
    bench.dut->in_data_i = source.front();
    bench.dut->out_ready_i = bench.chance(out_percent);
    bench.settle();
    const bool in = bench.dut->in_valid_i && bench.dut->in_ready_o;
    REQUIRE(bench.dut->in_ready_o == (inside.size() < kDepth));
    REQUIRE(bench.dut->out_valid_o ==
            (!inside.empty() || (falls_through && bench.dut->in_valid_i)));
    was_full = was_full || inside.size() == kDepth;
    if (in) inside.push_back(source.front());
    if (bench.dut->out_valid_o) REQUIRE(bench.dut->out_data_o == inside.front());
    if (bench.dut->out_valid_o && bench.dut->out_ready_i) inside.pop_front();
    source.taken(bench.dut->in_ready_o);
    bench.tick();
  }
  CHECK((was_full || out_percent > in_percent));
}

}  // namespace

TEST_CASE("a queue keeps what it is given, in order, and says when it is full") {
  for (const unsigned out_percent : {10U, 50U, 90U}) {
    check_fifo<Vfifo>(1, 50, out_percent, false);
    check_fifo<Vfifo_through>(2, 50, out_percent, true);
  }
}

TEST_CASE("round robin: nobody is served twice while another waits, and nothing gets mixed up") {
  Bench<Vround_robin_arbiter> bench(3);
  std::vector<Source<std::uint8_t>> sources(kCores);
  std::vector<unsigned> passed_over(kCores, 0);
  for (unsigned i = 0; i < kCycles; ++i) {
    unsigned valid = 0;
    std::uint32_t data = 0;
    for (unsigned core = 0; core < kCores; ++core) {
      if (sources[core].waiting.empty()) {
        sources[core].waiting.push_back(static_cast<std::uint8_t>(bench.number()));
      }
      if (sources[core].offer(bench, 40)) valid |= 1U << core;
      data |= std::uint32_t{sources[core].front()} << 8 * core;
    }
    bench.dut->in_valid_i = valid;
    bench.dut->in_data_i = data;
    bench.dut->out_ready_i = bench.chance(70);
    bench.settle();
    const unsigned taken = bench.dut->in_ready_o & valid;
    REQUIRE(bench.dut->out_valid_o == (valid != 0));
    REQUIRE(std::popcount(taken) == (valid != 0 && bench.dut->out_ready_i ? 1 : 0));
    for (unsigned core = 0; core < kCores; ++core) {
      const bool served = (taken >> core & 1) != 0;
      if (served) REQUIRE(bench.dut->out_data_o == sources[core].front());
      if (taken != 0) {
        passed_over[core] = served || (valid >> core & 1) == 0 ? 0 : passed_over[core] + 1;
      }
      REQUIRE(passed_over[core] < kCores);
      sources[core].taken(served);
    }
    bench.tick();
  }
}

TEST_CASE("requests are answered in the order of their cycles, then of the cores") {
  Bench<Vrequest_order> bench(4);
  std::deque<unsigned> order;
  unsigned most = 0;
  for (unsigned i = 0; i < kCycles; ++i) {
    bench.dut->request_i = 0;
    bench.settle();
    const unsigned asks =
        bench.dut->ready_o && bench.chance(40) ? bench.number() % (1U << kCores) : 0;
    bench.dut->request_i = asks;
    for (unsigned core = 0; core < kCores; ++core) {
      if ((asks >> core & 1) != 0) order.push_back(core);
    }
    bench.dut->first_done_i = 0;
    bench.settle();
    REQUIRE(bench.dut->first_valid_o == !order.empty());
    if (!order.empty()) {
      REQUIRE(bench.dut->first_core_o == order.front());
      bench.dut->first_done_i = bench.chance(75);
      if (bench.dut->first_done_i) order.pop_front();
    }
    most = std::max(most, static_cast<unsigned>(order.size()));
    bench.tick();
  }
  CHECK(most > kCores);
}

TEST_CASE("ids are given out once until they are given back, and all of them are") {
  Bench<Vid_pool> bench(5);
  constexpr unsigned kIds = 5;
  std::set<unsigned> taken;
  bool ran_out = false;
  for (unsigned i = 0; i < kCycles; ++i) {
    bench.dut->give_i = !taken.empty() && bench.chance(45);
    if (bench.dut->give_i) {
      bench.dut->give_id_i =
          *std::next(taken.begin(), static_cast<std::ptrdiff_t>(bench.number() % taken.size()));
    }
    bench.settle();
    REQUIRE(bench.dut->free_o == (taken.size() < kIds));
    ran_out = ran_out || taken.size() == kIds;
    bench.dut->take_i = bench.dut->free_o && bench.chance(50);
    bench.settle();
    const unsigned id = bench.dut->free_id_o;
    if (bench.dut->give_i) taken.erase(bench.dut->give_id_i);
    if (bench.dut->take_i) {
      REQUIRE(id < kIds);
      REQUIRE(taken.insert(id).second);
    }
    bench.tick();
  }
  CHECK(ran_out);
}

TEST_CASE("words that arrive a cycle after they are read are neither lost nor read too early") {
  Bench<Vcrossing_from_tracker> bench(6);
  std::deque<std::uint32_t> queue;
  std::deque<std::uint32_t> expected;
  unsigned passed = 0;
  for (unsigned i = 0; i < kCycles; ++i) {
    if (bench.chance(60)) queue.push_back(bench.number());
    bench.dut->empty_i = queue.empty();
    bench.dut->out_ready_i = bench.chance(i < kCycles / 2 ? 40 : 90);
    bench.settle();
    if (bench.dut->out_valid_o) {
      REQUIRE_FALSE(expected.empty());
      REQUIRE(bench.dut->out_data_o == expected.front());
      if (bench.dut->out_ready_i) expected.pop_front(), passed += 1;
    }
    std::uint32_t read = bench.number();  // what is on the wires when nothing was read
    if (bench.dut->read_o) {
      REQUIRE_FALSE(queue.empty());
      read = queue.front();
      expected.push_back(read);
      queue.pop_front();
    }
    bench.tick();
    bench.dut->data_i = read;
  }
  CHECK(passed > kCycles / 3);
}

TEST_CASE("tasks go to those who asked, in their order, and never more than a core has room for") {
  Bench<Vwork_fetch_arbiter> bench(7);
  constexpr unsigned kReady = 2;
  std::deque<unsigned> order;
  std::vector<unsigned> owed(kCores, 0), there(kCores, 0);
  unsigned refused = 0;
  for (unsigned i = 0; i < kCycles; ++i) {
    unsigned fetched = 0;
    for (unsigned core = 0; core < kCores; ++core) {
      if (there[core] != 0 && bench.chance(30)) fetched |= 1U << core;
    }
    bench.dut->request_valid_i = bench.number() & bench.number() & ((1U << kCores) - 1);
    bench.dut->fetched_i = fetched;
    bench.dut->task_valid_i = bench.chance(60);
    bench.settle();
    const unsigned granted = bench.dut->request_valid_i & bench.dut->request_ready_o;
    for (unsigned core = 0; core < kCores; ++core) {
      const bool asked = (bench.dut->request_valid_i >> core & 1) != 0;
      const bool is_granted = (granted >> core & 1) != 0;
      if (owed[core] == kReady) REQUIRE_FALSE(is_granted);
      refused += asked && !is_granted ? 1 : 0;
      if (is_granted) owed[core] += 1, order.push_back(core);
    }
    const bool gives = bench.dut->task_valid_i && bench.dut->task_ready_o;
    REQUIRE(bench.dut->task_ready_o == !order.empty());
    REQUIRE(bench.dut->give_o == (gives ? 1U << order.front() : 0U));
    for (unsigned core = 0; core < kCores; ++core) {
      if ((fetched >> core & 1) != 0) owed[core] -= 1, there[core] -= 1;
    }
    if (gives) there[order.front()] += 1, order.pop_front();
    bench.tick();
  }
  CHECK(refused > 0);
}
