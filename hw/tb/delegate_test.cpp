// SPDX-License-Identifier: Apache-2.0
//
// One delegate in front of a manager that accepts at random: packets leave as they were submitted,
// three at a time, and every answer tells what happened.
#include <Vpicos_delegate.h>
#include <doctest/doctest.h>

#include <vector>

#include "bench.hpp"
#include "picos.h"

using namespace myr::hw;

namespace {

constexpr unsigned kInstructions = 20000;

// What the delegate must do with the submission instructions, packet by packet.
class Expected {
 public:
  unsigned left = 0;
  std::deque<std::uint32_t> packets;

  [[nodiscard]] bool completes(unsigned given) const { return packets.size() + given >= 3; }
};

class DelegateBench : public Bench<Vpicos_delegate> {
 public:
  DelegateBench() : Bench(1) {}

  void run() {
    for (unsigned i = 0; i < kInstructions; ++i) execute();
    CHECK(tasks_ > 100);
    CHECK(fetched_ > 100);
  }

 private:
  void execute() {
    dut->cmd_valid_i = 1;
    dut->cmd_funct_i = number() % 8;
    dut->cmd_xd_i = dut->cmd_funct_i != PICOS_RETIRE_TASK && chance(80);
    dut->cmd_rd_i = number() % 32;
    dut->cmd_rs1_i = dut->cmd_funct_i == PICOS_SUBMISSION_REQUEST ? number() % 60 : name();
    dut->cmd_rs2_i = name();
    for (bool over = false; !over; tick()) over = cycle();
    dut->cmd_valid_i = 0;
    settle();
    REQUIRE(dut->triple_valid_o == 0);
    REQUIRE(dut->ready_pop_o == 0);
    if (chance(30)) tick();
  }

  // One cycle of an instruction; returns whether it was its last.
  bool cycle() {
    dut->resp_ready_i = chance(70);
    dut->request_ready_i = chance(60);
    dut->triple_ready_i = chance(70);
    dut->fetch_ready_i = chance(50);
    dut->retire_ready_i = chance(50);
    if (!dut->ready_valid_i && chance(20)) {
      dut->ready_valid_i = 1;
      for (unsigned word = 0; word < 3; ++word) dut->ready_task_i[word] = number();
    }
    settle();
    const bool blocked = dut->cmd_xd_i && !dut->resp_ready_i;
    const bool over = !blocked && (dut->cmd_funct_i != PICOS_RETIRE_TASK || dut->retire_ready_i);
    REQUIRE(dut->cmd_ready_o == over);
    if (dut->cmd_xd_i) REQUIRE(dut->resp_valid_o == 1);
    REQUIRE(dut->retire_valid_o == (!blocked && dut->cmd_funct_i == PICOS_RETIRE_TASK));
    if (!over) return false;
    const std::uint64_t answer = effect();
    if (dut->cmd_xd_i) {
      REQUIRE(dut->resp_rd_o == dut->cmd_rd_i);
      REQUIRE(dut->resp_data_o == answer);
    }
    return true;
  }

  std::uint64_t effect() {
    switch (dut->cmd_funct_i) {
      case PICOS_SUBMISSION_REQUEST:
        return request();
      case PICOS_SUBMIT_PACKET:
        return submit({static_cast<std::uint32_t>(dut->cmd_rs1_i)});
      case PICOS_SUBMIT_THREE_PACKETS:
        return submit({static_cast<std::uint32_t>(dut->cmd_rs1_i >> 32),
                       static_cast<std::uint32_t>(dut->cmd_rs1_i),
                       static_cast<std::uint32_t>(dut->cmd_rs2_i)});
      case PICOS_READY_TASK_REQUEST:
        return dut->fetch_ready_i;
      case PICOS_FETCH_SW_ID:
        name_fetched_ = dut->ready_valid_i;
        if (!dut->ready_valid_i) return PICOS_NOTHING_TO_FETCH;
        return std::uint64_t{dut->ready_task_i[1]} << 32 | dut->ready_task_i[0];
      case PICOS_FETCH_PICOS_ID:
        return fetch_id();
      case PICOS_RETIRE_TASK:
        REQUIRE(dut->retire_id_o == static_cast<std::uint32_t>(dut->cmd_rs1_i));
        return 0;
      default:
        REQUIRE(dut->error_o == PICOS_ERR_INSTRUCTION);
        return 0;
    }
  }

  std::uint64_t request() {
    const std::uint64_t count = dut->cmd_rs1_i;
    const bool good = count != 0 && count <= PICOS_PACKETS_PER_TASK && count % 3 == 0;
    REQUIRE(dut->error_o == (!good                 ? PICOS_ERR_PACKET_COUNT
                             : expected_.left != 0 ? PICOS_ERR_REQUEST_TWICE
                                                   : PICOS_ERR_NONE));
    REQUIRE(dut->request_valid_o == (good && expected_.left == 0));
    if (!dut->request_valid_o || !dut->request_ready_i) return PICOS_FLAG_FAILED;
    REQUIRE(dut->request_triples_o == count / 3);
    expected_.left = static_cast<unsigned>(count);
    tasks_ += 1;
    return PICOS_FLAG_DONE;
  }

  std::uint64_t submit(const std::vector<std::uint32_t>& packets) {
    const auto given = static_cast<unsigned>(packets.size());
    const bool announced = expected_.left >= given;
    REQUIRE(dut->error_o == (announced ? PICOS_ERR_NONE : PICOS_ERR_PACKET_UNASKED));
    const bool completes = expected_.completes(given);
    REQUIRE(dut->triple_valid_o == (announced && completes));
    if (!announced || (completes && !dut->triple_ready_i)) return PICOS_FLAG_FAILED;
    expected_.packets.insert(expected_.packets.end(), packets.begin(), packets.end());
    expected_.left -= given;
    if (!completes) return PICOS_FLAG_DONE;
    for (unsigned word = 0; word < 3; ++word) {
      REQUIRE(dut->triple_o[2 - word] == expected_.packets.front());
      expected_.packets.pop_front();
    }
    REQUIRE(dut->triple_last_o == (expected_.left + expected_.packets.size() == 0));
    return PICOS_FLAG_DONE;
  }

  std::uint64_t fetch_id() {
    const bool there = dut->ready_valid_i && name_fetched_;
    REQUIRE(dut->ready_pop_o == there);
    if (!there) return PICOS_NOTHING_TO_FETCH;
    const std::uint64_t id = dut->ready_task_i[2];
    name_fetched_ = false;
    pops_ = true;
    fetched_ += 1;
    return id;
  }

  void tick() {
    Bench::tick();
    if (pops_) dut->ready_valid_i = 0;
    pops_ = false;
  }

  Expected expected_;
  bool name_fetched_ = false;
  bool pops_ = false;
  unsigned tasks_ = 0;
  unsigned fetched_ = 0;
};

}  // namespace

TEST_CASE("a delegate against a model of it, instruction by instruction") { DelegateBench().run(); }
