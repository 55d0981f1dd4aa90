// SPDX-License-Identifier: Apache-2.0
//
// Counts the cycles of the whole scheduler.
#pragma once

#include <doctest/doctest.h>

#include "bench.hpp"
#include "picos.h"

namespace myr::hw {

// Cores that issue an instruction in each cycle and wait for nothing, to count cycles.
template <typename Model>
class Stopwatch : public Bench<Model> {
 public:
  using Bench<Model>::dut;
  Stopwatch() : Bench<Model>(1) {}

  // One instruction of a core, which takes this cycle; returns its answer.
  std::uint64_t execute(unsigned core, picos_funct funct, std::uint64_t rs1 = 0,
                        std::uint64_t rs2 = 0) {
    dut->cmd_valid_i = 0;
    put(dut->cmd_valid_i, core, 1, 1);
    put(dut->resp_ready_i, core, 1, 1);
    put(dut->cmd_xd_i, core, 1, funct == PICOS_RETIRE_TASK ? 0 : 1);
    put(dut->cmd_funct_i, 7 * core, 7, static_cast<unsigned>(funct));
    put(dut->cmd_rs1_i, 64 * core, 64, rs1);
    put(dut->cmd_rs2_i, 64 * core, 64, rs2);
    this->settle();
    REQUIRE((dut->cmd_ready_o >> core & 1) != 0);
    const std::uint64_t answer = get(dut->resp_data_o, 64 * core, 64);
    this->tick();
    return answer;
  }
  void submit(unsigned core, std::uint64_t name, unsigned deps) {
    REQUIRE(execute(core, PICOS_SUBMISSION_REQUEST, 3 + 3 * deps) == PICOS_FLAG_DONE);
    execute(core, PICOS_SUBMIT_THREE_PACKETS, name, deps);
    for (unsigned i = 0; i < deps; ++i) {
      execute(core, PICOS_SUBMIT_THREE_PACKETS, 64 * (i + 1),
              PICOS_DIRECTION_READS | PICOS_DIRECTION_WRITES);
    }
  }
  void pass(unsigned cycles) {
    dut->cmd_valid_i = 0;
    for (unsigned i = 0; i < cycles; ++i) this->tick();
  }
  // Cycles until the core's next task is there.
  unsigned cycles_until_ready(unsigned core) {
    for (unsigned cycle = 1; cycle < 1000; ++cycle) {
      if (execute(core, PICOS_FETCH_SW_ID) != PICOS_NOTHING_TO_FETCH) return cycle;
    }
    return 1000;
  }
};

}  // namespace myr::hw
