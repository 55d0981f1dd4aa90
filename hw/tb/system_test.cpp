// SPDX-License-Identifier: Apache-2.0
//
// The whole scheduler, with four cores that run whole programs of tasks: the seven instructions,
// when they fail and when they wait, the deadlocks of section IV-C of the paper, and random
// programs that must end with the serial program's memory.
#include <Vsystem.h>
#include <doctest/doctest.h>

#include <vector>

#include "stopwatch.hpp"
#include "task_program.hpp"

using namespace myr::hw;
using FourCores = Cores<Vsystem, 4>;

TEST_CASE("random programs, one core spawns and all run") {
  for (unsigned seed = 1; seed <= 10; ++seed) run_random<FourCores>(seed, 1, 15);
}

TEST_CASE("random programs of small tasks, all cores spawn and run") {
  for (unsigned seed = 1; seed <= 10; ++seed) run_random<FourCores>(seed, FourCores::kCount, 3);
}

TEST_CASE("deadlock scenario 1: one core spawns and runs more tasks than there is room for") {
  for (unsigned seed = 1; seed <= 5; ++seed) {
    FourCores cores(seed);
    Run run{cores, random_program(cores, 100, 4, 15)};
    cores.start(0, run_core(run, 0, true));
    run.finish();
    CHECK(run.requests_failed > 0);
  }
}

namespace {

// Asks for work until a request fails, and says how many were granted.
CoreProgram ask_until_refused(FourCores& cores, unsigned core, unsigned& granted, bool& refused) {
  while (!refused) {
    const std::uint64_t flag = co_await cores.issue(core, {PICOS_READY_TASK_REQUEST});
    if (flag == PICOS_FLAG_DONE) {
      granted += 1;
    } else {
      refused = true;
    }
  }
}

}  // namespace

TEST_CASE("deadlock scenario 2: requests for work fail when they cannot be remembered") {
  FourCores cores(1);
  std::vector<unsigned> granted(FourCores::kCount, 0);
  bool refused[FourCores::kCount] = {};
  for (unsigned core = 0; core < FourCores::kCount; ++core) {
    cores.start(core, ask_until_refused(cores, core, granted[core], refused[core]));
  }
  for (unsigned cycle = 0; cycle < 1000; ++cycle) cores.step();
  unsigned total = 0;
  for (unsigned core = 0; core < FourCores::kCount; ++core) {
    CHECK(refused[core]);
    CHECK(granted[core] <= 2);
    total += granted[core];
  }
  CHECK(total >= FourCores::kCount);
  // All those requests are open. The cores spawn and run nevertheless.
  Run run{cores, random_program(cores, 40, 4, 3)};
  for (unsigned core = 0; core < FourCores::kCount; ++core)
    cores.start(core, run_core(run, core, core == 0));
  run.finish();
}

namespace {

CoreProgram try_rules(FourCores& cores, bool& done) {
  const auto error = [&] { return cores.dut->error_o; };
  // Nothing is there to be fetched, and nothing was announced.
  CHECK(co_await cores.issue(0, {PICOS_FETCH_SW_ID}) == kNothing);
  CHECK(co_await cores.issue(0, {PICOS_FETCH_PICOS_ID}) == kNothing);
  CHECK(error() == PICOS_ERR_NONE);
  // A task without dependences.
  CHECK(co_await cores.issue(0, {PICOS_SUBMISSION_REQUEST, 3}) == PICOS_FLAG_DONE);
  CHECK(co_await cores.issue(0, {PICOS_SUBMIT_THREE_PACKETS, 0x123456789ABCDEF0, 0}) ==
        PICOS_FLAG_DONE);
  CHECK(co_await cores.issue(0, {PICOS_READY_TASK_REQUEST}) == PICOS_FLAG_DONE);
  co_await cores.pass(0, 30);
  // Its number only after its name; its name as often as one likes; the number once.
  CHECK(co_await cores.issue(0, {PICOS_FETCH_PICOS_ID}) == kNothing);
  CHECK(co_await cores.issue(0, {PICOS_FETCH_SW_ID}) == 0x123456789ABCDEF0);
  CHECK(co_await cores.issue(0, {PICOS_FETCH_SW_ID}) == 0x123456789ABCDEF0);
  const std::uint64_t id = co_await cores.issue(0, {PICOS_FETCH_PICOS_ID});
  CHECK(id == 0);
  CHECK(co_await cores.issue(0, {PICOS_FETCH_PICOS_ID}) == kNothing);
  CHECK(co_await cores.issue(0, {PICOS_FETCH_SW_ID}) == kNothing);
  co_await cores.issue(0, {PICOS_RETIRE_TASK, id, 0, false});
  co_await cores.pass(0, 5);
  CHECK(error() == PICOS_ERR_NONE);
  done = true;
}

// One instruction that is wrong; returns what it answered.
CoreProgram make_mistake(FourCores& cores, std::vector<FourCores::Instruction> instructions,
                         std::uint64_t& answer) {
  for (const FourCores::Instruction& instruction : instructions) {
    answer = co_await cores.issue(0, instruction);
  }
  co_await cores.pass(0, 10);
}

}  // namespace

TEST_CASE("what each instruction returns") {
  FourCores cores(1);
  bool done = false;
  cores.start(0, try_rules(cores, done));
  while (!cores.all_done()) cores.step();
  CHECK(done);
}

TEST_CASE("what software does wrong fails and shows at the error output until reset") {
  struct Mistake {
    std::vector<FourCores::Instruction> instructions;
    picos_error error;
  };
  const Mistake mistakes[] = {
      {{{PICOS_SUBMISSION_REQUEST, 0}}, PICOS_ERR_PACKET_COUNT},
      {{{PICOS_SUBMISSION_REQUEST, 4}}, PICOS_ERR_PACKET_COUNT},
      {{{PICOS_SUBMISSION_REQUEST, 51}}, PICOS_ERR_PACKET_COUNT},
      {{{PICOS_SUBMISSION_REQUEST, 3ULL << 32}}, PICOS_ERR_PACKET_COUNT},
      {{{PICOS_SUBMISSION_REQUEST, 6 | PICOS_REQUEST_SURE}}, PICOS_ERR_PACKET_COUNT},
      {{{PICOS_SUBMISSION_REQUEST, 6}, {PICOS_SUBMISSION_REQUEST, 6}}, PICOS_ERR_REQUEST_TWICE},
      {{{PICOS_SUBMIT_PACKET, 1}}, PICOS_ERR_PACKET_UNASKED},
      {{{PICOS_SUBMIT_THREE_PACKETS, 1}}, PICOS_ERR_PACKET_UNASKED},
      {{{PICOS_SUBMISSION_REQUEST, 3}, {PICOS_SUBMIT_PACKET, 1}, {PICOS_SUBMIT_THREE_PACKETS, 1}},
       PICOS_ERR_PACKET_UNASKED},
      {{{static_cast<picos_funct>(9)}}, PICOS_ERR_INSTRUCTION},
      {{{PICOS_SUBMISSION_REQUEST, 6},
        {PICOS_SUBMIT_THREE_PACKETS, 1, 0},
        {PICOS_SUBMIT_THREE_PACKETS, 1, 1}},
       PICOS_ERR_DEP_COUNT},
  };
  for (const Mistake& mistake : mistakes) {
    CAPTURE(mistake.error);
    FourCores cores(1);
    std::uint64_t answer = 99;
    cores.start(0, make_mistake(cores, mistake.instructions, answer));
    for (unsigned cycle = 0; cycle < 200; ++cycle) cores.step();
    CHECK(cores.dut->error_o == static_cast<unsigned>(mistake.error));
    if (mistake.error != PICOS_ERR_DEP_COUNT) CHECK(answer == PICOS_FLAG_FAILED);
  }
  FourCores cores(1);
  std::uint64_t answer = 99;
  cores.start(0, make_mistake(cores, {{PICOS_RETIRE_TASK, 5, 0, false}}, answer));
  for (unsigned cycle = 0; cycle < 200; ++cycle) cores.step();
  CHECK(cores.dut->error_o == PICOS_ERR_RETIRE_UNKNOWN);
}

TEST_CASE("cycles from a task's last packet, and from its predecessor's retirement, to its name") {
  struct Expected {
    unsigned deps;
    unsigned after_submission;  // from the instruction with the last packets
    unsigned after_retirement;
  };
  for (const Expected& expected : {Expected{0, 7, 0}, Expected{1, 10, 6}, Expected{7, 28, 12}}) {
    CAPTURE(expected.deps);
    Stopwatch<Vsystem> watch;
    watch.execute(0, PICOS_READY_TASK_REQUEST);
    watch.execute(1, PICOS_READY_TASK_REQUEST);
    watch.submit(0, 1, expected.deps);
    CHECK(watch.cycles_until_ready(0) == expected.after_submission);
    const std::uint64_t id = watch.execute(0, PICOS_FETCH_PICOS_ID);
    if (expected.deps == 0) continue;
    watch.submit(0, 2, expected.deps);
    watch.pass(100);
    watch.execute(0, PICOS_RETIRE_TASK, id);
    CHECK(watch.cycles_until_ready(1) == expected.after_retirement);
  }
}

TEST_CASE("cycles from a request to the name of a task that is ready") {
  Stopwatch<Vsystem> watch;
  watch.submit(0, 1, 0);
  watch.pass(100);
  watch.execute(1, PICOS_READY_TASK_REQUEST);
  CHECK(watch.cycles_until_ready(1) == 1);
}
