// SPDX-License-Identifier: Apache-2.0
//
// The memory of a chip without coherent caches, at the addresses of this process: which controller
// has what, and what a task says that it touches.
//
// Threads: a map is one thread's.
#pragma once

#include <vector>

#include "base/thread_context.hpp"
#include "mem/heap.hpp"
#include "transport/sim/scc/core_memory.hpp"

namespace myr::cluster {

[[nodiscard]] inline transport::sim::scc::MemoryMap memory_map(
    transport::sim::scc::Placement placement) noexcept {
  using transport::sim::scc::MemoryMap;
  return MemoryMap(placement, [](std::uint64_t address) -> MemoryMap::Object {
    const auto* const inside = reinterpret_cast<const void*>(address);
    if (!mem::Heap::contains(inside)) return {};
    const mem::Range object = mem::Heap::find_object(inside);
    return {.begin = reinterpret_cast<std::uint64_t>(object.first), .bytes = object.bytes};
  });
}

[[nodiscard]] inline std::vector<transport::sim::scc::Extent> extents_of(
    const base::TouchedRows& rows) {
  std::vector<transport::sim::scc::Extent> extents;
  const auto first = reinterpret_cast<std::uint64_t>(rows.first);
  for (std::size_t row = 0; row < rows.count && rows.bytes != 0; ++row) {
    const std::uint64_t begin = first + row * rows.stride;
    extents.push_back({.begin = begin,
                       .end = begin + rows.bytes,
                       .writes = (rows.mode & MYR_OUT) != 0,
                       .reads = (rows.mode & MYR_IN) != 0});
  }
  return extents;
}

}  // namespace myr::cluster
