// SPDX-License-Identifier: Apache-2.0
//
// The start of programs of ranks, and the clock of the whole process: see run.h.
#include "chip/mpi/run.h"

#include <fmt/format.h>
#include <myr/sim.h>

#include <optional>
#include <string>

#include "chip/mpi/call.hpp"

using myr::ranks::current_exchange;
using myr::ranks::Cycles;
using myr::ranks::Exchange;
using myr::ranks::Rank;
using myr::transport::sim::Chip;

namespace {

// Time outside of runs, and of the runs that have ended.
Cycles past_cycles = 0;

std::string run(const char* chip_name, int rank_count, void (*program)(void*), void* argument) {
  if (current_exchange() != nullptr) return "A rank cannot run a program of ranks.";
  std::optional<Chip> chip = Chip::named(chip_name);
  if (!chip) return fmt::format("There is no chip {}.", chip_name);
  if (rank_count < 1 || static_cast<unsigned>(rank_count) > chip->cores().weak) {
    return fmt::format("{} has {} cores for ranks, not {}.", chip_name, chip->cores().weak,
                       rank_count);
  }
  Exchange exchange(*chip, static_cast<Rank>(rank_count));
  current_exchange() = &exchange;
  std::string fault = exchange.run(program, argument);
  current_exchange() = nullptr;
  past_cycles += exchange.virtual_clock().end();
  return fault;
}

}  // namespace

int myr_chip_rank_limit(const char* chip_name) {
  const std::optional<Chip> chip = Chip::named(chip_name);
  return chip ? static_cast<int>(chip->cores().weak) : 0;
}

const char* myr_chip_run(const char* chip, int rank_count, void (*program)(void* argument),
                         void* argument) {
  static std::string fault;
  fault = run(chip, rank_count, program, argument);
  return fault.empty() ? nullptr : fault.c_str();
}

// Outside of ranks, a core of its own works: the serial program that the ranks are compared with.
void myr_work(uint64_t cycles) {
  if (Exchange* exchange = current_exchange(); exchange != nullptr) {
    exchange->virtual_clock().work(cycles);
  } else {
    past_cycles += cycles;
  }
}

uint64_t myr_cycles() {
  Exchange* exchange = current_exchange();
  return past_cycles + (exchange == nullptr ? 0 : exchange->virtual_clock().clock());
}
