// SPDX-License-Identifier: Apache-2.0
//
// The run that hw/wave.py draws: core 0 spawns two tasks that write the same word, cores 1 and 2
// have asked for work, and each runs one. The scheduler as it comes, and cores that wait for
// nothing.
//
// Usage: wave FILE.vcd
#include <Vwave.h>
#include <verilated.h>
#include <verilated_vcd_c.h>

#include <cstdint>
#include <cstdio>
#include <memory>

#include "bench.hpp"
#include "picos.h"

namespace {

using myr::hw::get;
using myr::hw::put;

constexpr std::uint64_t kWord = 0x80001000;
constexpr unsigned kPatienceCycles = 200;

class Wave {
 public:
  explicit Wave(const char* path) {
    context_->traceEverOn(true);
    dut_->trace(&file_, 99);
    file_.open(path);
    for (unsigned i = 0; i < 3; ++i) tick();
    dut_->rst_ni = 1;
    dut_->resp_ready_i = 0xFF;
  }
  ~Wave() { file_.close(); }
  Wave(const Wave&) = delete;
  Wave& operator=(const Wave&) = delete;

  // Puts an instruction in front of a core's delegate, in this cycle.
  void issue(unsigned core, picos_funct funct, std::uint64_t rs1 = 0, std::uint64_t rs2 = 0) {
    put(dut_->cmd_valid_i, core, 1, 1);
    put(dut_->cmd_xd_i, core, 1, funct == PICOS_RETIRE_TASK ? 0 : 1);
    put(dut_->cmd_funct_i, 7 * core, 7, static_cast<unsigned>(funct));
    put(dut_->cmd_rs1_i, 64 * core, 64, rs1);
    put(dut_->cmd_rs2_i, 64 * core, 64, rs2);
  }
  [[nodiscard]] std::uint64_t answer(unsigned core) {
    dut_->eval();
    return get(dut_->resp_data_o, 64 * core, 64);
  }
  // The edge that ends the cycle. The file has what was there before it.
  void tick() {
    dut_->clk_i = 0;
    dut_->eval();
    file_.dump(2 * cycle_);
    dut_->clk_i = 1;
    dut_->eval();
    file_.dump(2 * cycle_ + 1);
    dut_->cmd_valid_i = 0;
    cycle_ += 1;
  }

 private:
  std::unique_ptr<VerilatedContext> context_ = std::make_unique<VerilatedContext>();
  VerilatedVcdC file_;
  std::unique_ptr<Vwave> dut_ = std::make_unique<Vwave>(context_.get());
  std::uint64_t cycle_ = 0;
};

void spawn(Wave& wave, std::uint64_t name) {
  wave.issue(0, PICOS_SUBMISSION_REQUEST, 6);
  wave.tick();
  wave.issue(0, PICOS_SUBMIT_THREE_PACKETS, name, 1);
  wave.tick();
  wave.issue(0, PICOS_SUBMIT_THREE_PACKETS, kWord, PICOS_DIRECTION_WRITES);
}

// One look of a core for its task's name. The task's number follows a cycle later.
bool fetch(Wave& wave, unsigned core) {
  wave.issue(core, PICOS_FETCH_SW_ID);
  const bool found = wave.answer(core) != PICOS_NOTHING_TO_FETCH;
  wave.tick();
  return found;
}

bool run(Wave& wave) {
  wave.issue(1, PICOS_READY_TASK_REQUEST);
  wave.tick();
  wave.issue(2, PICOS_READY_TASK_REQUEST);
  wave.tick();
  spawn(wave, 1);
  for (unsigned cycle = 0; !fetch(wave, 1); ++cycle) {
    if (cycle == kPatienceCycles) return false;
  }
  wave.issue(1, PICOS_FETCH_PICOS_ID);
  const std::uint64_t id = wave.answer(1);
  wave.tick();
  for (unsigned cycle = 0; cycle < 45; ++cycle) wave.tick();  // the padding of the first task
  spawn(wave, 2);
  for (unsigned cycle = 0; cycle < 16; ++cycle) wave.tick();
  wave.issue(1, PICOS_RETIRE_TASK, id);
  for (unsigned cycle = 0; !fetch(wave, 2); ++cycle) {
    if (cycle == kPatienceCycles) return false;
  }
  wave.tick();
  return true;
}

}  // namespace

int main(int, char** arguments) {
  Wave wave(arguments[1]);
  if (run(wave)) return 0;
  std::fprintf(stderr, "wave: the scheduler has lost a task\n");
  return 1;
}
