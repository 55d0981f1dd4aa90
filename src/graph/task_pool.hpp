// SPDX-License-Identifier: Apache-2.0
//
// One worker's supply of task memory: free lists by size, refilled from what other workers return and from
// the arena. Memory always goes home to the pool that carved it, so a producer and a consumer on different
// threads do not drain one pool into the other.
//
// Threads: all calls by the owning worker, but return_chain() by any.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "base/contract.hpp"
#include "graph/task.hpp"
#include "sync/return_stack.hpp"

namespace myr::graph {

class TaskPool {
 public:
  explicit TaskPool(std::uint16_t home) noexcept : home_(home) {}

  // Memory for a task with that payload, or nullptr when the arena is used up. Initialised are the fields
  // that belong to the memory: home, size_class, flags, successors, references; and interior, extra_edges.
  // A payload beyond the largest class gets a malloc block (kExternal). Cost: a pop in the common case.
  [[nodiscard]] Task* allocate(std::size_t payload_bytes) noexcept {
    const std::size_t bytes = Task::kHeaderBytes + payload_bytes;
    if (MYR_UNLIKELY(bytes > kSmallBytes)) return allocate_large(payload_bytes);
    return allocate_class(static_cast<unsigned>((bytes - 1) / 64) - 1);
  }

  // Takes back memory of this pool.
  void recycle(Task* task) noexcept {
    if (MYR_UNLIKELY((task->flags & kExternal) != 0)) free_external(task);
    task->next = free_[task->size_class];
    free_[task->size_class] = task;
  }

  // Takes back memory of this pool from any thread: `first`..`last` linked by `next`.
  void return_chain(Task* first, Task* last) noexcept { returned_.any_push_chain(first, last); }

  [[nodiscard]] static constexpr std::size_t class_bytes(unsigned size_class) noexcept {
    return size_class < kSmallClasses ? 64 * (size_class + 2)
                                      : std::size_t{1024} << (size_class - kSmallClasses);
  }

 private:
  static constexpr unsigned kSmallClasses = 7;  // 128, 192, ... 512 bytes
  static constexpr unsigned kLargeClasses = 3;  // 1024, 2048, 4096 bytes
  static constexpr std::size_t kSmallBytes = 512;
  static constexpr unsigned kClasses = kSmallClasses + kLargeClasses;

  [[nodiscard]] Task* allocate_class(unsigned size_class) noexcept {
    Task* task = free_[size_class];
    if (MYR_UNLIKELY(task == nullptr)) return refill(size_class);
    Task* next = task->next;
    free_[size_class] = next;
    __builtin_prefetch(next, 1);
    task->flags = 0;
    return task;
  }
  [[nodiscard]] Task* refill(unsigned size_class) noexcept;
  [[nodiscard]] Task* carve(unsigned size_class) noexcept;
  [[nodiscard]] Task* allocate_large(std::size_t payload_bytes) noexcept;
  static void free_external(Task* task) noexcept;

  std::array<Task*, kClasses> free_{};
  std::array<std::byte*, kClasses> carve_next_{};
  std::array<std::byte*, kClasses> carve_end_{};
  std::uint16_t home_;
  sync::ReturnStack<Task> returned_;
};

}  // namespace myr::graph
