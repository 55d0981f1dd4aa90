// SPDX-License-Identifier: Apache-2.0
//
// Which processor each worker is bound to, if that is wanted (MYR_PIN).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "plat/cpu_distance.hpp"
#include "plat/cpu_mask.hpp"

namespace myr::engine {

class Pins {
 public:
  Pins() = default;  // nobody is bound
  // The usable processors in turn: a worker on each core before any core has a second one.
  explicit Pins(unsigned worker_count);

  [[nodiscard]] unsigned cpu(unsigned worker) const noexcept { return cpus_[worker]; }
  // Binds the calling thread, which is this worker's. A thread that the system refuses to bind
  // stays where it was.
  void bind(unsigned worker) const noexcept;
  // The same for main's, which release() gives its processors back.
  void bind_main() noexcept;
  void release() noexcept;
  // All workers, the nearest to this one first; none, if nobody is bound.
  [[nodiscard]] std::vector<std::uint16_t> nearest(unsigned worker) const;

 private:
  std::vector<unsigned> cpus_;          // by worker
  std::vector<plat::CpuPlace> places_;  // of these
  plat::CpuMask before_;                // of main's thread
  bool is_main_bound_ = false;
};

// All workers in the order of their distance from one, which comes last itself. Among those that
// are equally far the next by number come first, so that not all visit the same ones.
[[nodiscard]] std::vector<std::uint16_t> nearest_first(std::span<const plat::CpuPlace> places,
                                                       unsigned from);

}  // namespace myr::engine
