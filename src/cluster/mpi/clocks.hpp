// SPDX-License-Identifier: Apache-2.0
//
// Clocks: translates the ticks of another process's computer into those of rank 0's. Rank 0 asks
// what time it is there, several times; the answer that took least says it best, and is wrong by
// half of that time at most. This is done when a machine starts and when it stops, which also tells
// how much faster one clock goes than the other.
//
// Threads: main's of each process, while nothing else is said.
#pragma once

#include <cstdint>
#include <vector>

#include "cluster/mpi/post.hpp"

namespace myr::cluster::mpi {

// The same moment on two clocks.
struct Moment {
  std::uint64_t here = 0;
  std::uint64_t there = 0;
};

// From there to here, by two moments.
class ClockMap {
 public:
  ClockMap() = default;
  ClockMap(const Moment& first, const Moment& second) noexcept;
  [[nodiscard]] std::uint64_t here(std::uint64_t there) const noexcept;
  // A difference of two times.
  [[nodiscard]] std::uint64_t span_here(std::uint64_t ticks) const noexcept;

 private:
  Moment first_{};
  double ratio_ = 1;
};

// By rank 0: asks all others, one after the other. By rank; of rank 0 itself nothing. `silence_ns`:
// see Alarm.
[[nodiscard]] std::vector<Moment> ask_for_time(Rank& rank, std::uint64_t silence_ns);
// By another rank: answers until rank 0 has had enough.
void tell_time(Rank& rank, std::uint64_t silence_ns);

}  // namespace myr::cluster::mpi
