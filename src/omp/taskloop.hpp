// SPDX-License-Identifier: Apache-2.0
//
// How the iterations of a taskloop become tasks.
#pragma once

#include <cstdint>

namespace myr::omp {

enum class TaskloopSize : std::uint8_t { Tasks, Grain, StrictGrain };

// `count` tasks with `each` iterations, of which the first `larger` have one more; with a strict
// size the last has `last` instead.
struct TaskloopParts {
  std::uint64_t count;
  std::uint64_t each;
  std::uint64_t larger;
  std::uint64_t last;

  // The iterations of one task.
  [[nodiscard]] std::uint64_t size(std::uint64_t task) const noexcept {
    if (task + 1 == count && larger == 0) return last;
    return each + (task < larger ? 1 : 0);
  }
};

// Divides `iterations`, at least 1, by what the program wants; 0: a task for each of `threads`.
[[nodiscard]] inline TaskloopParts divide(std::uint64_t iterations, TaskloopSize size,
                                          std::uint64_t wanted, unsigned threads) noexcept {
  const bool is_grain = size == TaskloopSize::Grain || size == TaskloopSize::StrictGrain;
  if (is_grain && wanted != 0) {
    if (size == TaskloopSize::StrictGrain) {
      const std::uint64_t count = (iterations - 1) / wanted + 1;
      return {count, wanted, 0, iterations - (count - 1) * wanted};
    }
    const std::uint64_t count = iterations < wanted ? 1 : iterations / wanted;
    const std::uint64_t each = iterations / count;
    return {count, each, iterations % count, each};
  }
  std::uint64_t count = wanted != 0 ? wanted : threads;
  if (count > iterations) count = iterations;
  return {count, iterations / count, iterations % count, iterations / count};
}

}  // namespace myr::omp
