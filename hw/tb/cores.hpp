// SPDX-License-Identifier: Apache-2.0
//
// Cores without a pipeline around the whole scheduler: each runs a coroutine that awaits one
// instruction after the other, as software on a core does, with random delays.
#pragma once

#include <coroutine>
#include <utility>
#include <vector>

#include "bench.hpp"
#include "core_program.hpp"
#include "picos.h"

namespace myr::hw {

template <typename Model, unsigned Count>
class Cores : public Bench<Model>, public CorePrograms {
 public:
  static constexpr unsigned kCount = Count;
  using Bench<Model>::chance;
  using Bench<Model>::dut;

  struct Instruction {
    picos_funct funct;
    std::uint64_t rs1 = 0;
    std::uint64_t rs2 = 0;
    bool has_answer = true;
  };

  explicit Cores(unsigned seed, unsigned issue_percent = 60)
      : Bench<Model>(seed), issue_percent_(issue_percent), ports_(kCount) {}

  // co_await cores.issue(...) gives what the instruction returns, 0 if it has no answer.
  struct Issue {
    Cores& cores;
    unsigned core;
    Instruction instruction;
    [[nodiscard]] bool await_ready() const { return false; }
    void await_suspend(std::coroutine_handle<>) const {
      cores.ports_[core].waits = true;
      cores.ports_[core].instruction = instruction;
    }
    [[nodiscard]] std::uint64_t await_resume() const { return cores.ports_[core].answer; }
  };
  Issue issue(unsigned core, Instruction instruction) { return {*this, core, instruction}; }

  // co_await cores.pass(core, n): n cycles of something else.
  struct Pass {
    Cores& cores;
    unsigned core;
    unsigned count;
    [[nodiscard]] bool await_ready() const { return false; }
    void await_suspend(std::coroutine_handle<>) const { cores.ports_[core].delay = count; }
    void await_resume() const {}
  };
  Pass pass(unsigned core, unsigned count) { return {*this, core, count}; }

  void step() {
    for (unsigned core = 0; core < kCount; ++core) offer(core);
    this->settle();
    std::vector<bool> goes_on(kCount);
    for (unsigned core = 0; core < kCount; ++core) {
      Port& port = ports_[core];
      goes_on[core] = port.waits ? collect(core) : port.delay != 0 && --port.delay == 0;
    }
    this->tick();
    for (auto& [core, program] : programs_) {
      if (!program.done() && goes_on[core]) program.resume();
    }
  }

 private:
  struct Port {
    Instruction instruction;
    std::uint64_t answer = 0;
    unsigned delay = 0;
    bool waits = false;
    bool offered = false;
  };

  void offer(unsigned core) {
    Port& port = ports_[core];
    port.offered = port.waits && (port.offered || chance(issue_percent_));
    put(dut->cmd_valid_i, core, 1, port.offered ? 1 : 0);
    put(dut->resp_ready_i, core, 1, chance(80) ? 1 : 0);
    if (!port.offered) return;
    const Instruction& instruction = port.instruction;
    put(dut->cmd_xd_i, core, 1, instruction.has_answer ? 1 : 0);
    put(dut->cmd_funct_i, 7 * core, 7, static_cast<unsigned>(instruction.funct));
    put(dut->cmd_rd_i, 5 * core, 5, core + 3);
    put(dut->cmd_rs1_i, 64 * core, 64, instruction.rs1);
    put(dut->cmd_rs2_i, 64 * core, 64, instruction.rs2);
  }

  // Whether the core's instruction is over.
  bool collect(unsigned core) {
    Port& port = ports_[core];
    if (!port.offered || (dut->cmd_ready_o >> core & 1) == 0) return false;
    const bool answered = (dut->resp_valid_o >> core & 1) != 0;
    if (answered != port.instruction.has_answer) std::terminate();
    if (answered && get(dut->resp_rd_o, 5 * core, 5) != core + 3) std::terminate();
    port.answer = answered ? get(dut->resp_data_o, 64 * core, 64) : 0;
    port.waits = port.offered = false;
    return true;
  }

  unsigned issue_percent_;
  std::vector<Port> ports_;
};

}  // namespace myr::hw
