// SPDX-License-Identifier: Apache-2.0
//
// Ranks with MPI on a simulated chip: where the MPI versions of kernels run; see ranks.h and
// machine.hpp.
#include "chip/ranks.h"

#include <fmt/format.h>

#include <cstddef>
#include <cstdlib>
#include <string>

#include "chip/mpi/run.h"
#include "common/machine.hpp"

namespace kernels {
namespace {

constexpr std::size_t kCacheLine = 64;

std::string chip = "formic-520";
int rank_count = 16;

[[noreturn]] void end_with(const std::string& text) {
  fmt::print(stderr, "{}\n", text);
  std::exit(1);
}

}  // namespace

Machine machine() {
  return {.runtime = "mpi",
          .name = chip,
          .threads = static_cast<unsigned>(rank_count),
          .text = fmt::format("{}, {} ranks with MPI", chip, rank_count),
          .runs_tasks = false};
}

bool is_simulated() { return true; }

std::vector<MachineOption> machine_options() {
  // The kernel's data are Myrmidon's objects here, too; that is all that Myrmidon has to do.
  setenv("MYR_ON", "serial", 1);
  return {{"--on", &chip, "the simulated chip"},
          {"--ranks", &rank_count, "how many ranks, on weak cores of the chip"}};
}

std::string machine_mistake() {
  const int limit = myr_chip_rank_limit(chip.c_str());
  if (limit == 0) return fmt::format("--on: there is no chip {}", chip);
  if (rank_count < 1 || rank_count > limit) {
    return fmt::format("--ranks: {} can have 1 to {}", chip, limit);
  }
  return {};
}

}  // namespace kernels

int ranks_count() { return kernels::rank_count; }

void ranks_run(void (*program)(void* argument), void* argument) {
  const char* fault = myr_chip_run(kernels::chip.c_str(), kernels::rank_count, program, argument);
  if (fault != nullptr) kernels::end_with(fault);
}

// Time is virtual, and nothing but work and messages takes any; results are in one memory.
void ranks_start() {}
void ranks_stop() {}
void ranks_result(const void* /*part*/, size_t /*bytes*/) {}

void ranks_refuse(const char* rule) { kernels::end_with(rule); }

void* ranks_memory(size_t bytes) {
  constexpr std::size_t kLine = kernels::kCacheLine;
  void* memory = std::aligned_alloc(kLine, (bytes + kLine - 1) / kLine * kLine);
  if (memory == nullptr && bytes != 0) {
    kernels::end_with(fmt::format("a rank gets no {} bytes of memory", bytes));
  }
  return memory;
}
