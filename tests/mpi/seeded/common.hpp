// SPDX-License-Identifier: Apache-2.0
//
// What the processes of a seeded job have in common: how many bytes each has written for each other
// one, and their bells.
#pragma once

#include <cstddef>
#include <cstdint>

#include "transport/mpi/plugin.h"

constexpr std::size_t bytes_of_counts(std::size_t processes) {
  return (processes * processes * sizeof(std::uint64_t) + 63) / 64 * 64;
}
constexpr std::size_t bytes_in_common(std::size_t processes) {
  return bytes_of_counts(processes) + processes * MYR_MPI_BELL_BYTES;
}
