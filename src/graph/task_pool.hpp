// SPDX-License-Identifier: Apache-2.0
//
// One worker's supply of task memory: stacks by size, refilled from what other workers return and
// from the arena. Memory always goes home to the pool that carved it, so a producer and a consumer
// on different threads do not drain one pool into the other.
//
// Memory that comes back from another core is in that core's cache. So it comes in batches that
// name several tasks, and allocate() fetches ahead: the pool never waits for one remote cache line
// a task.
//
// Threads: all calls by the owning worker, but return_batches() by any.
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

  // Memory for a task with that payload, or nullptr when the arena is used up. Initialised are the
  // fields that belong to the memory: home, size_class, flags, successors, references; and
  // interior, extra_edges. A payload beyond the largest class gets a malloc block (kExternal).
  // Cost: a pop in the common case.
  [[nodiscard]] Task* allocate(std::size_t payload_bytes) noexcept {
    const std::size_t bytes = Task::kHeaderBytes + payload_bytes;
    if (MYR_UNLIKELY(bytes > kSmallBytes)) return allocate_large(payload_bytes);
    return allocate_class(static_cast<unsigned>((bytes - 1) / 64) - 1);
  }

  // Takes back memory of this pool.
  MYR_INLINE void recycle(Task* task) noexcept {
    if (MYR_UNLIKELY((task->flags & kExternal) != 0)) free_external(task);
    put(task->size_class, task);
  }

  // Takes back memory of this pool from any thread: `first`..`last` are batches linked by `next`.
  void return_batches(Task* first, Task* last) noexcept { returned_.any_push_chain(first, last); }

  // To be called now and then. Lets the system have the pages of what nobody has wanted for 100 ms,
  // except for kKeptBytes of each size. Cost: a look at each size; once in 100 ms, if there is
  // more, a pass through what is free.
  void trim() noexcept;
  static constexpr std::size_t kKeptBytes = std::size_t{4} << 20;
  // The same for what nobody has wanted since the last time.
  void trim_now() noexcept;

  // Is what is free of this pool and its size, with nothing left of a task? nullptr, or what is not
  // so. Cost: O(free tasks).
  [[nodiscard]] const char* broken_invariant() const noexcept;

  // Frees the malloc block of a large payload.
  static void free_external(Task* task) noexcept;

  // A batch is a task whose payload names up to kBatchMax more of the same size class.
  static constexpr std::uint32_t kBatchMax = 8;
  static void add_to_batch(Task& batch, Task* task) noexcept;
  static void start_batch(Task& batch) noexcept { batch.access_count = 0; }
  [[nodiscard]] static bool is_full(const Task& batch) noexcept {
    return batch.access_count == kBatchMax;
  }

  [[nodiscard]] static constexpr std::size_t class_bytes(unsigned size_class) noexcept {
    return size_class < kSmallClasses ? 64 * (size_class + 2)
                                      : std::size_t{1024} << (size_class - kSmallClasses);
  }

 private:
  static constexpr unsigned kSmallClasses = 7;  // 128, 192, ... 512 bytes
  static constexpr unsigned kLargeClasses = 3;  // 1024, 2048, 4096 bytes
  static constexpr std::size_t kSmallBytes = 512;
  static constexpr unsigned kClasses = kSmallClasses + kLargeClasses;
  static_assert(kClasses <= Task::kSizeClassMax + 1);

  static constexpr std::uint32_t kStackMax = 64;   // tasks in a stack; more of them are linked
  static constexpr std::uint32_t kFetchAhead = 6;  // tasks

  // The first places are no tasks: allocate() fetches ahead without asking how many there are.
  struct Stack {
    std::array<Task*, kFetchAhead + kStackMax> places{};
    Task** top = bottom();  // behind the newest
    Task* more = nullptr;   // linked by `next`
    std::uint32_t more_count = 0;
    std::uint32_t more_least = 0;  // since the last trim_now()
    std::uint32_t dropped = 0;     // chunks without pages, linked by their numbers
    std::byte* carve_next = nullptr;
    std::byte* carve_end = nullptr;
    std::uint64_t carve_generation = 0;  // 0: there were no tasks before

    [[nodiscard]] Task** bottom() noexcept { return &places[kFetchAhead]; }
    [[nodiscard]] Task* const* bottom() const noexcept { return &places[kFetchAhead]; }
    [[nodiscard]] Task** middle() noexcept { return bottom() + kStackMax / 2; }
    [[nodiscard]] bool is_full() noexcept { return top == bottom() + kStackMax; }
  };

  [[nodiscard]] Task* allocate_class(unsigned size_class) noexcept {
    Stack& stack = stacks_[size_class];
    Task** const top = stack.top - 1;
    if (MYR_UNLIKELY(top < stack.bottom())) return refill(size_class);
    stack.top = top;
    __builtin_prefetch(*(top - kFetchAhead), 1);
    Task* task = *top;
    task->flags = 0;
    return task;
  }
  MYR_INLINE void put(unsigned size_class, Task* task) noexcept {
    Stack& stack = stacks_[size_class];
    if (MYR_UNLIKELY(stack.is_full())) spill(stack);
    *stack.top++ = task;
  }
  MYR_COLD static void spill(Stack& stack) noexcept;
  void unpack_returned() noexcept;
  [[nodiscard]] Task* refill(unsigned size_class) noexcept;
  [[nodiscard]] Task* carve(unsigned size_class) noexcept;
  [[nodiscard]] static bool take_chunk(Stack& stack) noexcept;
  [[nodiscard]] bool is_free(const Task& task, unsigned size_class) const noexcept;
  static void drop_idle(Stack& stack, unsigned size_class, std::uint32_t idle) noexcept;
  [[nodiscard]] Task* allocate_large(std::size_t payload_bytes) noexcept;
  std::array<Stack, kClasses> stacks_{};
  std::uint16_t home_;
  std::uint64_t trimmed_ns_ = 0;
  sync::ReturnStack<Task> returned_;
};

}  // namespace myr::graph
