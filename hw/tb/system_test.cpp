// SPDX-License-Identifier: Apache-2.0
//
// The whole scheduler, with four cores that run whole programs of tasks: the seven instructions,
// when they fail and when they wait, the deadlocks of section IV-C of the paper, and random
// programs that must end with the serial program's memory.
#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <vector>

#include "cores.hpp"
#include "deps/address_table.hpp"

using namespace myr::hw;
using myr::deps::AddressTable;
using myr::deps::AddressUse;
using myr::deps::Mode;

namespace {

constexpr unsigned kPatienceCycles = 200000;
constexpr std::uint64_t kNothing = PICOS_NOTHING_TO_FETCH;
using Memory = std::map<std::uint64_t, std::uint64_t>;

struct SpawnedTask {
  std::vector<AddressUse> uses;
  std::uint64_t name;
};

// What a task does: its writes depend on all it reads and on which task it is.
void run_body(const SpawnedTask& task, Memory& memory) {
  std::uint64_t mix = task.name;
  for (const AddressUse& use : task.uses) mix = (mix ^ memory[use.address]) * 0x9E3779B97F4A7C15;
  for (const AddressUse& use : task.uses) {
    if (use.mode == Mode::Write) memory[use.address] = mix ^ use.address;
  }
}

std::vector<SpawnedTask> random_program(Cores& cores, unsigned count, unsigned addresses,
                                        unsigned deps_max) {
  std::vector<SpawnedTask> program(count);
  for (unsigned i = 0; i < count; ++i) {
    program[i].name = std::uint64_t{i} << 40 | cores.number();
    program[i].uses.resize(cores.number() % (deps_max + 1));
    for (AddressUse& use : program[i].uses) {
      use.address = 0x1000 + 8 * std::uint64_t{cores.number() % addresses};
      use.mode = cores.chance(50) ? Mode::Write : Mode::Read;
    }
  }
  return program;
}

// What all cores share: the program, and what has become of it.
struct Run {
  Cores& cores;
  std::vector<SpawnedTask> program;
  AddressTable table{};
  Memory memory{};
  Memory serial_memory{};
  std::vector<std::size_t> order{};  // in which tasks were requested: the serial program
  std::size_t next = 0;
  std::size_t retired = 0;
  unsigned requests_failed = 0;

  [[nodiscard]] bool over() const { return retired == program.size(); }
  // A core's request was granted: its task comes after all that came before.
  void granted(std::size_t task) {
    table.add(task, program[task].uses);
    run_body(program[task], serial_memory);
  }
  void ran(std::uint64_t task) {
    REQUIRE(table.ready(task));
    run_body(program[task], memory);
    table.retire(task);
    retired += 1;
  }
  void finish() {
    for (unsigned cycle = 0; !cores.all_done(); ++cycle) {
      REQUIRE_MESSAGE(cycle < kPatienceCycles, "deadlock with ", retired, " tasks retired");
      cores.step();
      REQUIRE(cores.dut->error_o == PICOS_ERR_NONE);
    }
    CHECK(memory == serial_memory);
    CHECK(table.size() == 0);
  }
};

// The packets of a task as pairs of registers for Submit Three Packets.
std::vector<std::pair<std::uint64_t, std::uint64_t>> triples(const SpawnedTask& task) {
  std::vector<std::pair<std::uint64_t, std::uint64_t>> all{{task.name, task.uses.size()}};
  for (const AddressUse& use : task.uses) {
    const unsigned direction =
        PICOS_DIRECTION_READS | (use.mode == Mode::Write ? PICOS_DIRECTION_WRITES : 0);
    all.emplace_back(use.address, direction);
  }
  return all;
}

// A core that spawns, if it does, and runs what is ready. It never waits in one role for what only
// the other can bring about.
CoreProgram run_core(Run& run, unsigned core, bool spawns) {
  Cores& cores = run.cores;
  while (!run.over()) {
    if (spawns && run.next < run.program.size() && cores.chance(70)) {
      const std::size_t task = run.next;
      run.next += 1;  // no other core takes it while this one tries
      const auto all = triples(run.program[task]);
      while (co_await cores.issue(core, {PICOS_SUBMISSION_REQUEST, 3 * all.size()}) !=
             PICOS_FLAG_DONE) {
        run.requests_failed += 1;
        co_await cores.issue(core, {PICOS_READY_TASK_REQUEST});
        const std::uint64_t name = co_await cores.issue(core, {PICOS_FETCH_SW_ID});
        if (name == kNothing) continue;
        const std::uint64_t id = co_await cores.issue(core, {PICOS_FETCH_PICOS_ID});
        run.ran(name >> 40);
        co_await cores.issue(core, {PICOS_RETIRE_TASK, id, 0, false});
      }
      run.granted(task);
      for (const auto& [rs1, rs2] : all) {
        if (cores.chance(80)) {
          const bool looks = cores.chance(50);  // a grant makes it unnecessary
          const auto flag =
              co_await cores.issue(core, {PICOS_SUBMIT_THREE_PACKETS, rs1, rs2, looks});
          REQUIRE(flag == (looks ? PICOS_FLAG_DONE : 0));
        } else {
          for (const std::uint64_t packet : {rs1 >> 32, rs1 & 0xFFFFFFFF, rs2}) {
            REQUIRE(co_await cores.issue(core, {PICOS_SUBMIT_PACKET, packet}) == PICOS_FLAG_DONE);
          }
        }
      }
    } else {
      co_await cores.issue(core, {PICOS_READY_TASK_REQUEST});
      const std::uint64_t name = co_await cores.issue(core, {PICOS_FETCH_SW_ID});
      if (name == kNothing) continue;
      const std::uint64_t id = co_await cores.issue(core, {PICOS_FETCH_PICOS_ID});
      REQUIRE(id != kNothing);
      co_await cores.pass(core, 1 + cores.number() % 60);
      run.ran(name >> 40);
      co_await cores.issue(core, {PICOS_RETIRE_TASK, id, 0, false});
    }
  }
}

void run_random(unsigned seed, unsigned spawners, unsigned workers, unsigned deps_max) {
  CAPTURE(seed);
  Cores cores(seed, 30 + seed % 3 * 35);
  Run run{cores, random_program(cores, 150, 3 + seed % 5 * 8, deps_max)};
  for (unsigned core = 0; core < workers; ++core)
    cores.start(core, run_core(run, core, core < spawners));
  run.finish();
}

}  // namespace

TEST_CASE("random programs, one core spawns and all run") {
  for (unsigned seed = 1; seed <= 10; ++seed) run_random(seed, 1, Cores::kCount, 15);
}

TEST_CASE("random programs of small tasks, all cores spawn and run") {
  for (unsigned seed = 1; seed <= 10; ++seed) run_random(seed, Cores::kCount, Cores::kCount, 3);
}

TEST_CASE("deadlock scenario 1: one core spawns and runs more tasks than there is room for") {
  for (unsigned seed = 1; seed <= 5; ++seed) {
    Cores cores(seed);
    Run run{cores, random_program(cores, 100, 4, 15)};
    cores.start(0, run_core(run, 0, true));
    run.finish();
    CHECK(run.requests_failed > 0);
  }
}

namespace {

// Asks for work until a request fails, and says how many were granted.
CoreProgram ask_until_refused(Cores& cores, unsigned core, unsigned& granted, bool& refused) {
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
  Cores cores(1);
  std::vector<unsigned> granted(Cores::kCount, 0);
  bool refused[Cores::kCount] = {};
  for (unsigned core = 0; core < Cores::kCount; ++core) {
    cores.start(core, ask_until_refused(cores, core, granted[core], refused[core]));
  }
  for (unsigned cycle = 0; cycle < 1000; ++cycle) cores.step();
  unsigned total = 0;
  for (unsigned core = 0; core < Cores::kCount; ++core) {
    CHECK(refused[core]);
    CHECK(granted[core] <= 2);
    total += granted[core];
  }
  CHECK(total >= Cores::kCount);
  // All those requests are open. The cores spawn and run nevertheless.
  Run run{cores, random_program(cores, 40, 4, 3)};
  for (unsigned core = 0; core < Cores::kCount; ++core)
    cores.start(core, run_core(run, core, core == 0));
  run.finish();
}

namespace {

CoreProgram try_rules(Cores& cores, bool& done) {
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
CoreProgram make_mistake(Cores& cores, std::vector<Cores::Instruction> instructions,
                         std::uint64_t& answer) {
  for (const Cores::Instruction& instruction : instructions) {
    answer = co_await cores.issue(0, instruction);
  }
  co_await cores.pass(0, 10);
}

}  // namespace

TEST_CASE("what each instruction returns") {
  Cores cores(1);
  bool done = false;
  cores.start(0, try_rules(cores, done));
  while (!cores.all_done()) cores.step();
  CHECK(done);
}

TEST_CASE("what software does wrong fails and shows at the error output until reset") {
  struct Mistake {
    std::vector<Cores::Instruction> instructions;
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
    Cores cores(1);
    std::uint64_t answer = 99;
    cores.start(0, make_mistake(cores, mistake.instructions, answer));
    for (unsigned cycle = 0; cycle < 200; ++cycle) cores.step();
    CHECK(cores.dut->error_o == static_cast<unsigned>(mistake.error));
    if (mistake.error != PICOS_ERR_DEP_COUNT) CHECK(answer == PICOS_FLAG_FAILED);
  }
  Cores cores(1);
  std::uint64_t answer = 99;
  cores.start(0, make_mistake(cores, {{PICOS_RETIRE_TASK, 5, 0, false}}, answer));
  for (unsigned cycle = 0; cycle < 200; ++cycle) cores.step();
  CHECK(cores.dut->error_o == PICOS_ERR_RETIRE_UNKNOWN);
}

namespace {

// Cores that issue an instruction in each cycle and wait for nothing, to count cycles.
class Stopwatch : public Bench<Vsystem> {
 public:
  Stopwatch() : Bench(1) { dut->resp_ready_i = 3; }

  // One instruction of core 0 or 1, which takes this cycle; returns its answer.
  std::uint64_t execute(unsigned core, picos_funct funct, std::uint64_t rs1 = 0,
                        std::uint64_t rs2 = 0) {
    dut->cmd_valid_i = 1U << core;
    dut->cmd_xd_i = funct == PICOS_RETIRE_TASK ? 0 : 3;
    dut->cmd_funct_i = static_cast<unsigned>(funct) << 7 * core;
    put(dut->cmd_rs1_i, 64 * core, 64, rs1);
    put(dut->cmd_rs2_i, 64 * core, 64, rs2);
    settle();
    REQUIRE((dut->cmd_ready_o >> core & 1) != 0);
    const std::uint64_t answer = get(dut->resp_data_o, 64 * core, 64);
    tick();
    return answer;
  }
  void submit(std::uint64_t name, unsigned deps) {
    REQUIRE(execute(0, PICOS_SUBMISSION_REQUEST, 3 + 3 * deps) == PICOS_FLAG_DONE);
    execute(0, PICOS_SUBMIT_THREE_PACKETS, name, deps);
    for (unsigned i = 0; i < deps; ++i) {
      execute(0, PICOS_SUBMIT_THREE_PACKETS, 64 * (i + 1),
              PICOS_DIRECTION_READS | PICOS_DIRECTION_WRITES);
    }
  }
  // Cycles until the core's next task is there.
  unsigned cycles_until_ready(unsigned core) {
    for (unsigned cycle = 1; cycle < 1000; ++cycle) {
      if (execute(core, PICOS_FETCH_SW_ID) != kNothing) return cycle;
    }
    return 1000;
  }
};

}  // namespace

TEST_CASE("cycles from a task's last packet, and from its predecessor's retirement, to its name") {
  struct Expected {
    unsigned deps;
    unsigned after_submission;  // from the instruction with the last packets
    unsigned after_retirement;
  };
  for (const Expected& expected : {Expected{0, 7, 0}, Expected{1, 10, 6}, Expected{7, 28, 12}}) {
    CAPTURE(expected.deps);
    Stopwatch watch;
    watch.execute(0, PICOS_READY_TASK_REQUEST);
    watch.execute(1, PICOS_READY_TASK_REQUEST);
    watch.submit(1, expected.deps);
    CHECK(watch.cycles_until_ready(0) == expected.after_submission);
    const std::uint64_t id = watch.execute(0, PICOS_FETCH_PICOS_ID);
    if (expected.deps == 0) continue;
    watch.submit(2, expected.deps);
    for (unsigned i = 0; i < 100; ++i) watch.tick();
    watch.execute(0, PICOS_RETIRE_TASK, id);
    CHECK(watch.cycles_until_ready(1) == expected.after_retirement);
  }
}
