// SPDX-License-Identifier: Apache-2.0
//
// The controllers of a chip's memory, for the addresses of this process: of a chip without coherent
// caches.
//
// Threads: a map is one thread's.
#pragma once

#include "mem/heap.hpp"
#include "transport/sim/scc/chip.hpp"

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

}  // namespace myr::cluster
