// SPDX-License-Identifier: Apache-2.0
#include "transport/sim/scc/chip.hpp"

#include <algorithm>

namespace myr::transport::sim::scc {

namespace {

struct Tile {
  int column;
  int row;
};

Tile tile_of(CoreNumber core) {
  const unsigned tile = core / 2;
  return {static_cast<int>(tile % kColumns), static_cast<int>(tile / kColumns)};
}

constexpr std::array<Tile, kControllers> kControllerTiles{
    {{0, 0}, {kColumns - 1, 0}, {0, 2}, {kColumns - 1, 2}}};

unsigned distance(Tile a, Tile b) {
  return static_cast<unsigned>(std::abs(a.column - b.column) + std::abs(a.row - b.row));
}

Cycles of_mesh(unsigned cycles) { return Cycles{cycles} * kCosts.core_mhz / kCosts.mesh_mhz; }

}  // namespace

unsigned hops(CoreNumber a, CoreNumber b) noexcept { return distance(tile_of(a), tile_of(b)); }

unsigned hops_to_controller(CoreNumber core, unsigned controller) noexcept {
  return distance(tile_of(core), kControllerTiles[controller]) + 1;
}

unsigned own_controller(CoreNumber core) noexcept {
  const Tile tile = tile_of(core);
  return (tile.row < 2 ? 0U : 2U) + (tile.column < static_cast<int>(kColumns / 2) ? 0U : 1U);
}

Cycles memory_latency(CoreNumber core, unsigned controller) noexcept {
  return kCosts.memory_core +
         of_mesh(kCosts.memory_per_hop * hops_to_controller(core, controller)) +
         Cycles{kCosts.memory_in_dram} * kCosts.core_mhz / kCosts.memory_mhz;
}

Cycles buffer_latency(CoreNumber core, CoreNumber owner) noexcept {
  return kCosts.buffer_core + of_mesh(kCosts.buffer_per_hop * (hops(core, owner) + 1));
}

std::vector<CoreNumber> cores_around(CoreNumber master) {
  std::vector<CoreNumber> cores;
  for (CoreNumber core = 0; core < kCores; ++core) {
    if (core != master) cores.push_back(core);
  }
  std::stable_sort(cores.begin(), cores.end(), [master](CoreNumber a, CoreNumber b) {
    return hops(a, master) < hops(b, master);
  });
  return cores;
}

// Objects of one size lie side by side, so their numbers follow each other.
unsigned MemoryMap::controller_of(std::uint64_t address) noexcept {
  constexpr unsigned kPageBits = 24;
  constexpr unsigned kStripeBits = 12;
  if (placement_ == Placement::None) return (address >> kPageBits) % kControllers;
  if (placement_ == Placement::Padded) {
    if (address - last_.begin >= last_.bytes) last_ = find_(address);
    if (last_.bytes != 0) return last_.begin / last_.bytes % kControllers;
  }
  return (address >> kStripeBits) % kControllers;
}

// The controller may be busy with what others have asked for before. If not, the core is what takes
// its time: it asks for a line when it has the last one.
Cycles Controllers::fetch(CoreNumber core, unsigned controller, unsigned lines,
                          Cycles start) noexcept {
  const Cycles service = lines * kCosts.line_service;
  const Cycles served = std::max(start, free_at_[controller]) + service;
  free_at_[controller] = served;
  busy_[controller] += service;
  return std::max(served, start + lines * memory_latency(core, controller));
}

}  // namespace myr::transport::sim::scc
