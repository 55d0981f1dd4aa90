// SPDX-License-Identifier: Apache-2.0
//
// TaskId: names one task of a run in what users read, as "1.17": the 18th task that worker 1
// spawned. On the serial machine the ids are the same in every run.
#pragma once

#include <cstdint>
#include <string>

namespace myr::trace {

class TaskId {
 public:
  // The program's main, which nobody spawned.
  [[nodiscard]] static constexpr TaskId main() noexcept { return TaskId(~std::uint64_t{0}); }
  // The task that worker `spawner` spawned after `earlier_count` others.
  constexpr TaskId(unsigned spawner, std::uint64_t earlier_count) noexcept
      : bits_((std::uint64_t{spawner} << kCountBits) | earlier_count) {}

  [[nodiscard]] std::string text() const;
  friend constexpr auto operator<=>(TaskId, TaskId) noexcept = default;

 private:
  static constexpr unsigned kCountBits = 48;
  explicit constexpr TaskId(std::uint64_t bits) noexcept : bits_(bits) {}

  std::uint64_t bits_;
};

}  // namespace myr::trace
