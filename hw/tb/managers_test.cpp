// SPDX-License-Identifier: Apache-2.0
//
// Two managers before one tracker: what joins them, by itself, with random stalls; and the whole
// scheduler with sixteen cores, whose random programs must end with the serial program's memory.
#include <Vmanager_hub.h>
#include <Vsystem16.h>
#include <doctest/doctest.h>

#include <array>
#include <bit>
#include <deque>

#include "nested_program.hpp"
#include "stopwatch.hpp"
#include "task_program.hpp"

using namespace myr::hw;
using SixteenCores = Cores<Vsystem16, 16>;

namespace {

constexpr unsigned kManagers = 2;
constexpr unsigned kCoresEach = 3;
constexpr unsigned kPackets = 48;
constexpr unsigned kOrderDepth = 2;

// Managers, as far as the hub sees them, and the tracker.
class HubBench : public Bench<Vmanager_hub> {
 public:
  explicit HubBench(unsigned seed) : Bench(seed) {}

  void run(unsigned cycles) {
    for (unsigned i = 0; i < cycles; ++i) step();
    CHECK(tasks_submitted_ > cycles / 200);
    CHECK(sure_cycles > 0);
    CHECK(retired > cycles / 8);
    stops_ = true;
    for (unsigned i = 0; i < 20000 && !(submit_order_.empty() && pending_ == 0); ++i) step();
    CHECK(submit_order_.empty());
    CHECK(fetch_order_.empty());
    CHECK(pending_ == 0);
  }
  unsigned sure_cycles = 0;
  unsigned retired = 0;

 private:
  void step() {
    ask();
    dut->tracker_submit_full_i = chance(20);
    dut->tracker_ready_empty_i = chance(30);
    dut->tracker_retire_full_i = chance(40);
    dut->tracker_room_i = chance(70);
    dut->tracker_registered_i = registered_late_ != 0 && chance(30);
    settle();
    check_sure();
    submit();
    read_ready();
    retire();
    settle();
    check_tracker_side();
    tick();
  }

  // Requests, of which some are granted: no more cycles of them than managers remember.
  void ask() {
    const unsigned all = (1U << kManagers * kCoresEach) - 1;
    const unsigned wants = !stops_ && chance(8) ? number() & all : 0;
    dut->request_valid_i = wants;
    const bool may = submit_cycles_.size() < kManagers * kOrderDepth;
    dut->request_granted_i = may ? wants & number() : 0;
    const unsigned fetches = !stops_ && chance(15) ? number() & number() & all : 0;
    dut->fetch_granted_i = fetch_cycles_.size() < kManagers * kOrderDepth ? fetches : 0;
    pending_before_ = pending_;
    add_turns(dut->request_granted_i, submit_order_, submit_cycles_);
    add_turns(dut->fetch_granted_i, fetch_order_, fetch_cycles_);
    pending_ += static_cast<unsigned>(std::popcount(unsigned{dut->request_granted_i}));
  }
  static void add_turns(unsigned granted, std::deque<unsigned>& order,
                        std::deque<unsigned>& counts) {
    if (granted != 0) counts.push_back(static_cast<unsigned>(std::popcount(granted)));
    for (unsigned core = 0; core < kManagers * kCoresEach; ++core) {
      if ((granted >> core & 1) != 0) order.push_back(core / kCoresEach);
    }
  }
  static void end_turn(std::deque<unsigned>& order, std::deque<unsigned>& counts) {
    order.pop_front();
    counts.front() -= 1;
    if (counts.front() == 0) counts.pop_front();
  }

  void check_sure() {
    const bool one = std::popcount(unsigned{dut->request_valid_i}) <= 1;
    REQUIRE(dut->sure_o == (pending_before_ == 0 && dut->tracker_room_i && one));
    sure_cycles += dut->sure_o;
  }

  // Only the manager whose turn it is may write, and only what the tracker has room for.
  void submit() {
    const unsigned may =
        submit_order_.empty() || dut->tracker_submit_full_i ? 0 : 1U << submit_order_.front();
    REQUIRE(unsigned{dut->submit_full_o} == (~may & 3));
    writes_ = may != 0 && chance(70);
    dut->submit_write_i = writes_ ? may : 0;
    for (unsigned i = 0; i < kManagers; ++i) put(dut->submit_packet_i, 32 * i, 32, number());
  }
  void read_ready() {
    const unsigned may =
        fetch_order_.empty() || dut->tracker_ready_empty_i ? 0 : 1U << fetch_order_.front();
    REQUIRE(unsigned{dut->ready_empty_o} == (~may & 3));
    reads_ = may != 0 && chance(70);
    dut->ready_read_i = reads_ ? may : 0;
  }
  // Numbers that say whose they are and count up.
  void retire() {
    dut->retire_write_i = 0;
    for (unsigned i = 0; i < kManagers; ++i) {
      put(dut->retire_id_i, 32 * i, 32, i << 16 | next_retired_[i]);
      if ((dut->retire_full_o >> i & 1) == 0 && chance(40)) {
        dut->retire_write_i |= 1U << i;
        next_retired_[i] += 1;
      }
    }
  }

  void check_tracker_side() {
    REQUIRE(dut->tracker_submit_write_o == writes_);
    REQUIRE(dut->tracker_ready_read_o == reads_);
    if (writes_) {
      REQUIRE(dut->tracker_submit_packet_o ==
              get(dut->submit_packet_i, 32 * submit_order_.front(), 32));
      packet_ = (packet_ + 1) % kPackets;
      if (packet_ == 0) end_turn(submit_order_, submit_cycles_);
      tasks_submitted_ += packet_ == 0;
    }
    if (reads_) {
      ready_packet_ = (ready_packet_ + 1) % 3;
      if (ready_packet_ == 0) end_turn(fetch_order_, fetch_cycles_);
    }
    if (dut->tracker_retire_write_o) {
      REQUIRE_FALSE(dut->tracker_retire_full_i);
      const unsigned from = dut->tracker_retire_id_o >> 16;
      REQUIRE(from < kManagers);
      REQUIRE((dut->tracker_retire_id_o & 0xFFFF) == taken_retired_[from]);
      taken_retired_[from] = (taken_retired_[from] + 1) & 0xFFFF;
      retired += 1;
    }
    // A task may be registered long before its last packet, but not before its first.
    if (dut->tracker_registered_i) {
      pending_ -= 1;
      registered_late_ -= 1;
    }
    if (writes_ && packet_ == 3) registered_late_ += 1;
  }

  std::deque<unsigned> submit_order_, fetch_order_;    // whose turn it is
  std::deque<unsigned> submit_cycles_, fetch_cycles_;  // turns that are left of each cycle
  std::array<unsigned, kManagers> next_retired_{}, taken_retired_{};
  unsigned pending_ = 0;
  unsigned pending_before_ = 0;
  unsigned registered_late_ = 0;
  unsigned packet_ = 0;
  unsigned ready_packet_ = 0;
  unsigned tasks_submitted_ = 0;
  bool writes_ = false;
  bool reads_ = false;
  bool stops_ = false;
};

}  // namespace

TEST_CASE("managers take turns in the order of their cores' requests, whole tasks at a time") {
  for (unsigned seed = 1; seed <= 3; ++seed) HubBench(seed).run(20000);
}

TEST_CASE("sixteen cores: random programs, one core spawns and all run") {
  for (unsigned seed = 1; seed <= 5; ++seed) run_random<SixteenCores>(seed, 1, 15);
}

TEST_CASE("sixteen cores: random programs of small tasks, all cores spawn and run") {
  for (unsigned seed = 1; seed <= 5; ++seed) run_random<SixteenCores>(seed, 16, 3);
}

TEST_CASE("sixteen cores: a core of the second manager spawns and runs all by itself") {
  for (const unsigned core : {8U, 15U}) {
    SixteenCores cores(core);
    Run<SixteenCores> run{cores, random_program(cores, 60, 4, 15)};
    cores.start(core, run_core(run, core, true));
    run.finish();
    CHECK(run.requests_failed > 0);
  }
}

TEST_CASE("sixteen cores: tasks that wait for their children end, whoever asked for what") {
  for (unsigned seed = 1; seed <= 6; ++seed) {
    CAPTURE(seed);
    NestedProgram<SixteenCores> program(seed, 40, 3 | PICOS_REQUEST_SURE);
    CHECK(program.run());
    CHECK(program.spawned_children() > 0);
    CHECK(program.inline_children() > 0);
  }
}

namespace {

CoreProgram ask_after(SixteenCores& cores, unsigned core, unsigned cycles, std::uint64_t& name) {
  co_await cores.pass(core, cycles);
  CHECK(co_await cores.issue(core, {PICOS_READY_TASK_REQUEST}) == PICOS_FLAG_DONE);
  for (name = kNothing; name == kNothing;) name = co_await cores.issue(core, {PICOS_FETCH_SW_ID});
}

CoreProgram spawn_after(SixteenCores& cores, unsigned core, unsigned cycles, unsigned count) {
  co_await cores.pass(core, cycles);
  for (unsigned name = 1; name <= count; ++name) {
    for (std::uint64_t flag = PICOS_FLAG_FAILED; flag != PICOS_FLAG_DONE;) {
      flag = co_await cores.issue(core, {PICOS_SUBMISSION_REQUEST, 3});
    }
    co_await cores.issue(core, {PICOS_SUBMIT_THREE_PACKETS, name, 0, false});
  }
}

CoreProgram mistake_after(SixteenCores& cores, unsigned core, unsigned cycles,
                          SixteenCores::Instruction instruction) {
  co_await cores.pass(core, cycles);
  co_await cores.issue(core, instruction);
}

}  // namespace

TEST_CASE(
    "sixteen cores: tasks go to the cores in the order in which they asked, of all managers") {
  const unsigned order[] = {15, 0, 8, 7, 1, 9};
  std::array<std::uint64_t, 6> names{};
  SixteenCores cores(1);
  for (unsigned i = 0; i < 6; ++i) {
    cores.start(order[i], ask_after(cores, order[i], 100 + 100 * i, names[i]));
  }
  cores.start(3, spawn_after(cores, 3, 1000, 6));
  for (unsigned cycle = 0; cycle < 5000 && !cores.all_done(); ++cycle) cores.step();
  REQUIRE(cores.all_done());
  for (unsigned i = 0; i < 6; ++i) CHECK(names[i] == i + 1);
}

TEST_CASE("sixteen cores: the first error stays, whichever manager's it was") {
  for (const unsigned first : {2U, 12U}) {
    SixteenCores cores(1);
    cores.start(first, mistake_after(cores, first, 10, {PICOS_SUBMIT_PACKET, 1}));
    cores.start(14 - first, mistake_after(cores, 14 - first, 100, {PICOS_SUBMISSION_REQUEST, 4}));
    for (unsigned cycle = 0; cycle < 300; ++cycle) cores.step();
    CHECK(cores.dut->error_o == PICOS_ERR_PACKET_UNASKED);
  }
}

TEST_CASE(
    "sixteen cores: the cycles are those of one manager, but for tasks that nobody asked for") {
  Stopwatch<Vsystem16> watch;
  watch.execute(3, PICOS_READY_TASK_REQUEST);
  watch.execute(12, PICOS_READY_TASK_REQUEST);
  watch.submit(9, 1, 1);
  CHECK(watch.cycles_until_ready(3) == 10);
  const std::uint64_t id = watch.execute(3, PICOS_FETCH_PICOS_ID);
  watch.submit(0, 2, 1);
  watch.pass(100);
  watch.execute(3, PICOS_RETIRE_TASK, id);
  CHECK(watch.cycles_until_ready(12) == 6);
  watch.submit(0, 3, 0);
  watch.pass(100);
  watch.execute(15, PICOS_READY_TASK_REQUEST);
  CHECK(watch.cycles_until_ready(15) == 4);
}
