// SPDX-License-Identifier: Apache-2.0
//
// Clock: turns the ticks in which workers record into nanoseconds since the start of the run. Known
// only when the run has ended.
#pragma once

#include <cstdint>

namespace myr::trace {

struct Clock {
  std::uint64_t start_ticks;
  std::uint64_t end_ticks;
  std::uint64_t elapsed_ns;  // from the one to the other

  // Times outside the run, of workers that start or stop, count as its start and end.
  [[nodiscard]] std::uint64_t ns(std::uint64_t ticks) const noexcept;
};

}  // namespace myr::trace
