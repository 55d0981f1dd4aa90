// SPDX-License-Identifier: Apache-2.0
//
// The Single-Chip Cloud Computer of paper 3: where its cores, message buffers and memory
// controllers are, and what reaching them costs. 24 tiles of two cores in a mesh of 6 x 4; a
// controller at each end of the rows 0 and 2.
//
// All times are cycles of a core.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "transport/sim/event_queue.hpp"

namespace myr::transport::sim::scc {

using CoreNumber = std::uint32_t;  // two on a tile; tiles row by row

inline constexpr unsigned kColumns = 6;
inline constexpr unsigned kRows = 4;
inline constexpr unsigned kCores = 2 * kColumns * kRows;
inline constexpr unsigned kControllers = 4;
inline constexpr unsigned kLineBytes = 32;      // of all caches, and of message buffers
inline constexpr unsigned kBufferBytes = 8192;  // of a core's message buffer
inline constexpr unsigned kFirstCacheBytes = 16 * 1024;
inline constexpr unsigned kSecondCacheBytes = 256 * 1024;
inline constexpr unsigned kWays = 4;  // of both

// Sources: [guide] Intel's programmer's guide of the chip, its table of latencies; [paper] paper 3;
// [calibrated] docs/scc.md says on what; [assumed] no source states it.
struct Costs {
  unsigned core_mhz;
  unsigned mesh_mhz;
  unsigned memory_mhz;

  // ---- the chip
  Cycles second_cache;       // a line from the second cache
  Cycles memory_core;        // a line from memory: in the core,
  unsigned memory_per_hop;   // in the mesh, cycles of the mesh a hop, there and back,
  unsigned memory_in_dram;   // and there, cycles of the memory
  Cycles line_service;       // a controller is busy with a line
  Cycles buffer_core;        // a line of a message buffer: in the core,
  unsigned buffer_per_hop;   // and in the mesh, there and back
  Cycles first_invalidate;   // drops what the first cache has of message buffers: one instruction
  Cycles second_invalidate;  // see docs/scc.md

  // ---- the runtime of paper 3 on it
  Cycles spawn_task;     // the master takes a descriptor and fills it in
  Cycles spawn_block;    // finds a block's metadata and enters the task
  Cycles release_task;   // takes a completed task from its queue and recycles the descriptor
  Cycles release_block;  // and takes it out of a block's list
  Cycles schedule;       // chooses a worker
  Cycles task_call;      // a worker calls the task's function
};

inline constexpr Costs kCosts{
    .core_mhz = 533,           // [paper] the usual setting of its SCC
    .mesh_mhz = 800,           // the same
    .memory_mhz = 800,         // the same
    .second_cache = 18,        // [guide]
    .memory_core = 40,         // [guide]
    .memory_per_hop = 8,       // [guide] four there, four back
    .memory_in_dram = 46,      // [guide]
    .line_service = 14,        // [calibrated]
    .buffer_core = 45,         // [guide]
    .buffer_per_hop = 8,       // [guide] four there, four back
    .first_invalidate = 2,     // [assumed]
    .second_invalidate = 500,  // [assumed] what is left to do once the flush has replaced all lines
    .spawn_task = 3'000,       // [assumed]
    .spawn_block = 800,        // [calibrated]
    .release_task = 1'500,     // [assumed]
    .release_block = 400,      // [calibrated]
    .schedule = 200,           // [assumed]
    .task_call = 200,          // [assumed]
};

// Tiles between two cores, the last one counted; 0 on one tile.
[[nodiscard]] unsigned hops(CoreNumber a, CoreNumber b) noexcept;
// Hops as the paper counts them: the way out of the mesh is one.
[[nodiscard]] unsigned hops_to_controller(CoreNumber core, unsigned controller) noexcept;
// The controller of the core's private memory: the one in its quarter of the mesh.
[[nodiscard]] unsigned own_controller(CoreNumber core) noexcept;

// A line of memory, with nobody else at the controller; a line of a message buffer.
[[nodiscard]] Cycles memory_latency(CoreNumber core, unsigned controller) noexcept;
[[nodiscard]] Cycles buffer_latency(CoreNumber core, CoreNumber owner) noexcept;

// The middle of the mesh, where the paper puts its master.
inline constexpr CoreNumber kMiddle = 16;
// All other cores, nearest first; of equally near ones the one with the smaller number.
[[nodiscard]] std::vector<CoreNumber> cores_around(CoreNumber master);

// Which controller has the memory at an address.
enum class Placement : std::uint8_t {
  None,     // pages of 16 MB in turn, as the chip maps them: a small array has one controller
  Striped,  // 4 KB in turn, as padding and strides spread an array ([paper] on its benchmarks)
  Padded,   // the objects of an array in turn, each as a whole; what is no object: striped
};
class MemoryMap {
 public:
  struct Object {
    std::uint64_t begin = 0;
    std::uint64_t bytes = 0;
  };
  // The object around an address; of no bytes: there is none.
  using FindObject = Object (*)(std::uint64_t address);

  // `find`: for Padded.
  explicit MemoryMap(Placement placement, FindObject find = nullptr) noexcept
      : placement_(placement), find_(find) {}
  [[nodiscard]] unsigned controller_of(std::uint64_t address) noexcept;

 private:
  Placement placement_;
  FindObject find_;
  Object last_;  // that was found
};

// The four controllers: each serves one line at a time, in the order in which they ask.
class Controllers {
 public:
  // Lines that a core asks for one after the other, from `start` on. Returns when it has the last.
  Cycles fetch(CoreNumber core, unsigned controller, unsigned lines, Cycles start) noexcept;
  // The time that they were busy, since the start.
  [[nodiscard]] Cycles busy(unsigned controller) const noexcept { return busy_[controller]; }

 private:
  std::array<Cycles, kControllers> free_at_{};
  std::array<Cycles, kControllers> busy_{};
};

}  // namespace myr::transport::sim::scc
