// SPDX-License-Identifier: Apache-2.0
//
// TaskSizes: for how long the tasks of a function were on their nodes, if these kept what they
// spawned: so whether it is worth while to divide another one among nodes.
//
// Threads: any. All of it is a hint: two functions may share a place, or two threads write at once.
#pragma once

#include <array>
#include <cstdint>

#include "graph/task.hpp"
#include "sync/atomic.hpp"

namespace myr::cluster::threads {

class TaskSizes {
 public:
  // Less than what it costs to spread a few tasks.
  static constexpr std::uint64_t kFineTicks = 20'000;

  void note(const graph::Task& task, std::uint64_t ticks) noexcept {
    Place& place = place_of(task);
    const std::uintptr_t function = key_of(task);
    const std::uint64_t mean = place.mean.load(sync::relaxed);
    const bool is_known = place.function.load(sync::relaxed) == function;
    place.function.store(function, sync::relaxed);
    place.mean.store(is_known ? mean - mean / kRecent + ticks / kRecent : ticks, sync::relaxed);
  }
  // Do tasks of its function end soon? False: nobody knows.
  [[nodiscard]] bool are_fine(const graph::Task& task) noexcept {
    const Place& place = place_of(task);
    return place.function.load(sync::relaxed) == key_of(task) &&
           place.mean.load(sync::relaxed) < kFineTicks;
  }

 private:
  static constexpr std::uint64_t kRecent = 8;  // of so many is the mean, about
  static constexpr std::size_t kPlaces = 64;
  struct Place {
    sync::Atomic<std::uintptr_t> function{0};
    sync::Atomic<std::uint64_t> mean{0};
  };

  [[nodiscard]] static std::uintptr_t key_of(const graph::Task& task) noexcept {
    return reinterpret_cast<std::uintptr_t>(task.body);
  }
  [[nodiscard]] Place& place_of(const graph::Task& task) noexcept {
    return places_[key_of(task) * 0x9E3779B97F4A7C15ULL >> 58];
  }

  std::array<Place, kPlaces> places_;
};

}  // namespace myr::cluster::threads
