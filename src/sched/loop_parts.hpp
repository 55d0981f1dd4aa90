// SPDX-License-Identifier: Apache-2.0
//
// The parts of a loop, and what they use, which follows from its windows.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "proto/messages.hpp"

namespace myr::sched {

[[nodiscard]] inline std::size_t part_count_of(const proto::Loop& loop) noexcept {
  const std::uint64_t size = loop.iterations.end - loop.iterations.begin;
  return size / loop.grain + (size % loop.grain != 0 ? 1 : 0);
}

[[nodiscard]] inline proto::Iterations iterations_of(const proto::Loop& loop,
                                                     std::size_t part) noexcept {
  const std::uint64_t begin = loop.iterations.begin + part * loop.grain;
  return {.begin = begin, .end = begin + std::min(loop.iterations.end - begin, loop.grain)};
}

// Will the task that runs the iterations be the producer of the window's objects?
[[nodiscard]] inline bool is_written(const proto::Window& window) noexcept {
  return window.mode == proto::Mode::Write && window.transfers;
}

// Calls `visit(window, object, number of the window)` for each access of the part.
template <class Visit>
void for_accesses(const proto::Loop& loop, proto::Iterations iterations, Visit&& visit) {
  const std::uint64_t* objects = loop.objects.data();
  std::size_t number = 0;
  for (const proto::Window& window : loop.windows) {
    const auto [first, last] = proto::objects_of(window, iterations);
    for (std::uint64_t i = first; i < last; ++i) {
      visit(window, proto::NodeId::object(objects[i]), number);
    }
    objects += window.count;
    number += 1;
  }
}

}  // namespace myr::sched
