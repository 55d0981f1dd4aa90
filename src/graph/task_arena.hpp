// SPDX-License-Identifier: Apache-2.0
//
// The memory of all tasks: one reserved address range, handed out in chunks to the workers' pools,
// which keep them as long as they are there. So a granule number names a place for ever, and
// reading the successor word of a task that is long complete is always safe. What was never handed
// out cannot be read: tools that search all memory need not search that. A pool may let the
// system have the pages of a chunk with nothing in it, which then reads as zeros: as generation 0,
// that of no task.
//
// Limit: 2^30 granules = 16 GiB, about 10^8 small tasks alive at once. Beyond it take_chunk() is
// nullptr.
// Threads: take_chunk() by any thread; chunk(), and what it says, by the pool that has the chunk.
#pragma once

#include <cstddef>

#include "base/result.hpp"
#include "graph/task.hpp"
#include "sync/atomic.hpp"

namespace myr::graph {

class TaskArena {
 public:
  static constexpr std::size_t kChunkBytes = std::size_t{64} << 10;

  // Reserves the range; less than the full one where the process may not have as much. A second
  // call changes nothing.
  static base::Result<bool> reserve();

  // Takes all chunks back. REQUIRES: nobody uses what is in them, or a TaskRef, any more.
  static void clear() noexcept;

  [[nodiscard]] static bool contains(const void* address) noexcept {
    return base_ <= address && address < base_ + bytes_;
  }

  // kChunkBytes of zeroed memory, or nullptr when the arena is used up.
  [[nodiscard]] static std::byte* take_chunk() noexcept;

  // What a pool notes of a chunk of its own that it looks through, or that has no pages.
  struct Chunk {
    std::uint64_t generation_max;  // of the tasks that were there
    std::uint32_t counted;         // tasks that are free; 0 but while the pool looks
    std::uint32_t next;            // without pages: the number of the next one, or 0
  };
  [[nodiscard]] static std::uint32_t chunk_number(const void* inside) noexcept {
    return static_cast<std::uint32_t>(
        static_cast<std::size_t>(static_cast<const std::byte*>(inside) - base_) / kChunkBytes);
  }
  [[nodiscard]] static Chunk& chunk(std::uint32_t number) noexcept { return chunks_[number]; }
  [[nodiscard]] static std::byte* chunk_memory(std::uint32_t number) noexcept {
    return base_ + number * kChunkBytes;
  }
  // The system has its pages from now on. REQUIRES: all that is in it is free, and was there.
  static void drop_pages(std::uint32_t number) noexcept;

  [[nodiscard]] static Task* task(Granule granule) noexcept {
    return reinterpret_cast<Task*>(base_ + granule * kGranuleBytes);
  }
  [[nodiscard]] static Edge* edge(Granule granule) noexcept {
    return reinterpret_cast<Edge*>(base_ + granule * kGranuleBytes);
  }
  [[nodiscard]] static Granule granule(const void* inside) noexcept {
    return static_cast<Granule>(
        static_cast<std::size_t>(static_cast<const std::byte*>(inside) - base_) / kGranuleBytes);
  }
  [[nodiscard]] static TaskRef ref(const Task* task) noexcept {
    return TaskRef::make(task->successors.generation(), granule(task));
  }
  // True once the task has ended and all its descendants have.
  // Order: what they wrote is then visible to the caller [graph.end].
  [[nodiscard]] static bool is_complete(TaskRef ref) noexcept {
    return task(ref.granule())->successors.generation() != ref.generation();
  }

 private:
  // Written by reserve() before any other thread exists.
  static std::byte* base_;
  static std::size_t bytes_;
  static Chunk* chunks_;                           // by number
  static sync::Atomic<std::size_t> taken_bytes_;   // any thread adds
  static sync::Atomic<std::size_t> usable_bytes_;  // any thread makes more so

  [[nodiscard]] static bool make_usable(std::size_t end) noexcept;
};

}  // namespace myr::graph
