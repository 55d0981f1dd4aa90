// SPDX-License-Identifier: Apache-2.0
//
// Random programs of tasks for the cores of cores.hpp: some spawn, all run what is ready, and in
// the end memory must be the serial program's. The golden model knows which tasks may be ready.
#pragma once

#include <doctest/doctest.h>

#include <map>
#include <utility>
#include <vector>

#include "cores.hpp"
#include "deps/address_table.hpp"

namespace myr::hw {

using deps::AddressTable;
using deps::AddressUse;
using deps::Mode;

inline constexpr unsigned kPatienceCycles = 200000;
inline constexpr std::uint64_t kNothing = PICOS_NOTHING_TO_FETCH;
using Memory = std::map<std::uint64_t, std::uint64_t>;

struct SpawnedTask {
  std::vector<AddressUse> uses;
  std::uint64_t name;
};

// What a task does: its writes depend on all it reads and on which task it is.
inline void run_body(const SpawnedTask& task, Memory& memory) {
  std::uint64_t mix = task.name;
  for (const AddressUse& use : task.uses) mix = (mix ^ memory[use.address]) * 0x9E3779B97F4A7C15;
  for (const AddressUse& use : task.uses) {
    if (use.mode == Mode::Write) memory[use.address] = mix ^ use.address;
  }
}

template <typename AnyCores>
std::vector<SpawnedTask> random_program(AnyCores& cores, unsigned count, unsigned addresses,
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
template <typename AnyCores>
struct Run {
  AnyCores& cores;
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
inline std::vector<std::pair<std::uint64_t, std::uint64_t>> triples(const SpawnedTask& task) {
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
template <typename AnyCores>
CoreProgram run_core(Run<AnyCores>& run, unsigned core, bool spawns) {
  AnyCores& cores = run.cores;
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

// Cores from 0 on spawn, and so many run tasks.
template <typename AnyCores>
void run_random(unsigned seed, unsigned spawners, unsigned deps_max) {
  CAPTURE(seed);
  AnyCores cores(seed, 30 + seed % 3 * 35);
  Run<AnyCores> run{cores, random_program(cores, 150, 3 + seed % 5 * 8, deps_max)};
  for (unsigned core = 0; core < AnyCores::kCount; ++core)
    cores.start(core, run_core(run, core, core < spawners));
  run.finish();
}

}  // namespace myr::hw
