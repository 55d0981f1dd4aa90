// SPDX-License-Identifier: Apache-2.0
//
// The scheduling engine in lockstep with its model: cores whose coroutines read and write its
// registers after random delays. Every answer, its cycle and the error register are compared; so
// is that nobody is passed over twice.
#pragma once

#include <Vhwse.h>
#include <doctest/doctest.h>

#include <coroutine>
#include <deque>
#include <utility>
#include <vector>

#include "bench.hpp"
#include "core_program.hpp"
#include "model.hpp"

namespace myr::hw {

class HwseCores : public Bench<Vhwse>, public CorePrograms {
 public:
  // So few of everything that all of it is full again and again.
  static constexpr HwseModel::Sizes kSizes{.cores = 4,
                                           .teams = 3,
                                           .queues = 2,
                                           .heaps = 1,
                                           .queue_depth = 4,
                                           .counters = 8,
                                           .count_max = 15,
                                           .word_mask = 0xFFFFC,
                                           .word_base = 0x50000000};
  static constexpr unsigned kCores = kSizes.cores;
  static constexpr unsigned kAnswerCycles = 2;  // after the grant

  explicit HwseCores(unsigned seed, unsigned issue_percent = 60)
      : Bench(seed), issue_percent_(issue_percent), ports_(kCores) {}

  // co_await cores.read(...) gives the answer.
  struct Access {
    HwseCores& cores;
    unsigned core;
    HwseModel::Request request;
    [[nodiscard]] bool await_ready() const { return false; }
    void await_suspend(std::coroutine_handle<> innermost) const {
      cores.ports_[core].innermost = innermost;
      cores.ports_[core].waits = true;
      cores.ports_[core].request = request;
    }
    [[nodiscard]] std::uint32_t await_resume() const { return cores.ports_[core].answer; }
  };
  Access read(unsigned core, unsigned reg, unsigned argument = 0) {
    return {*this, core, {.write = false, .reg = reg, .argument = argument, .data = number()}};
  }
  Access write(unsigned core, unsigned reg, std::uint32_t data, unsigned argument = 0) {
    return {*this, core, {.write = true, .reg = reg, .argument = argument, .data = data}};
  }
  Access access(unsigned core, HwseModel::Request request) { return {*this, core, request}; }

  void forget() { programs_.clear(); }  // those that are over
  // Until all programs are over; a deadlock fails.
  void run(unsigned patience_cycles) {
    for (unsigned cycle = 0; !all_done(); ++cycle) {
      REQUIRE_MESSAGE(cycle < patience_cycles, "the programs do not end");
      step();
    }
  }

  void step() {
    for (unsigned core = 0; core < kCores; ++core) offer(core);
    settle();
    const unsigned answered = check_answer();
    grant();
    tick();
    for (auto& [core, program] : programs_) {
      if (core == answered) program.resume_at(ports_[core].innermost);
    }
  }

  HwseModel model{kSizes};
  std::uint64_t served = 0;

 private:
  struct Port {
    HwseModel::Request request{};
    std::coroutine_handle<> innermost;  // what goes on with the answer
    std::uint32_t answer = 0;
    bool waits = false;  // for its answer
    bool offered = false;
    bool granted = false;
    unsigned passed_over = 0;
  };
  struct Answer {
    std::uint64_t cycle;
    unsigned core;
    std::uint32_t data, error;
  };

  void offer(unsigned core) {
    Port& port = ports_[core];
    port.offered = port.waits && !port.granted && (port.offered || chance(issue_percent_));
    const unsigned mask = 1U << core;
    dut->req_valid_i = port.offered ? dut->req_valid_i | mask : dut->req_valid_i & ~mask;
    if (!port.offered) return;
    const HwseModel::Request& request = port.request;
    dut->req_write_i = request.write ? dut->req_write_i | mask : dut->req_write_i & ~mask;
    const std::uint64_t address = HWSE_OFFSET(request.reg, request.argument) >> 2;
    const std::uint64_t others = ~(std::uint64_t{0xFFF} << 12 * core);
    dut->req_address_i = (dut->req_address_i & others) | address << 12 * core;
    put(dut->req_data_i, 32 * core, 32, request.data);
  }

  // At most one request a cycle is granted; that is the order in which the model serves them.
  void grant() {
    const unsigned granted = dut->req_ready_o & dut->req_valid_i;
    REQUIRE((granted != 0) == (dut->req_valid_i != 0));
    for (unsigned core = 0; core < kCores; ++core) {
      Port& port = ports_[core];
      if ((granted >> core & 1) == 0) {
        port.passed_over += port.offered ? 1 : 0;
        REQUIRE(port.passed_over < kCores);
        continue;
      }
      REQUIRE(granted == 1U << core);
      port.passed_over = 0;
      port.granted = true;
      port.offered = false;
      const std::uint32_t data = model.serve(core, port.request);
      answers_.push_back({cycle() + kAnswerCycles, core, data, model.error()});
      served += 1;
    }
  }

  // Which core is answered in this cycle; kCores: none.
  unsigned check_answer() {
    if (answers_.empty() || answers_.front().cycle != cycle()) {
      REQUIRE(dut->resp_valid_o == 0);
      return kCores;
    }
    const Answer expected = answers_.front();
    answers_.pop_front();
    Port& port = ports_[expected.core];
    INFO("core ", expected.core, port.request.write ? " writes " : " reads ", port.request.reg,
         " argument ", port.request.argument, " data ", port.request.data, ", request ", served);
    REQUIRE(dut->resp_valid_o == 1U << expected.core);
    if (!port.request.write) REQUIRE(dut->resp_data_o == expected.data);
    REQUIRE(dut->error_o == expected.error);
    port.answer = expected.data;
    port.waits = port.granted = false;
    return expected.core;
  }

  unsigned issue_percent_;
  std::vector<Port> ports_;
  std::deque<Answer> answers_;
};

}  // namespace myr::hw
