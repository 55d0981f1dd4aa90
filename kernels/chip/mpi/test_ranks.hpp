// SPDX-License-Identifier: Apache-2.0
//
// For tests: runs a closure on every rank of a small chip.
#pragma once

#include <mpi.h>
#include <myr/sim.h>

#include <cstdint>
#include <string>

#include "chip/mpi/run.h"

namespace myr::ranks {

inline constexpr const char* kTestChip = "formic-0+64";

inline int this_rank() {
  int rank = -1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank;
}

// `program(rank)` on each. Returns what went wrong, or nothing. In it, use CHECK only: REQUIRE
// throws, which no rank may let out.
template <class Program>
std::string on_ranks(int count, Program program, const char* chip = kTestChip) {
  const auto start = [](void* argument) { (*static_cast<Program*>(argument))(this_rank()); };
  const char* fault = myr_chip_run(chip, count, start, &program);
  return fault == nullptr ? "" : fault;
}

// The cycles of a run that must end well.
template <class Program>
std::uint64_t cycles_of(int count, Program program, const char* chip = kTestChip) {
  const std::uint64_t start = myr_cycles();
  const std::string fault = on_ranks(count, program, chip);
  return fault.empty() ? myr_cycles() - start : 0;
}

}  // namespace myr::ranks
