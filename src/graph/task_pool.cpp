// SPDX-License-Identifier: Apache-2.0
#include "graph/task_pool.hpp"

#include <algorithm>
#include <cstdlib>
#include <new>
#include <utility>

#include "graph/task_arena.hpp"
#include "plat/clock.hpp"

namespace myr::graph {

namespace {
constexpr std::uint64_t kTrimEveryNs = 100'000'000;

constexpr std::uint32_t kept_count(unsigned size_class) noexcept {
  return static_cast<std::uint32_t>(TaskPool::kKeptBytes / TaskPool::class_bytes(size_class));
}

Granule* names_in(Task& batch) noexcept { return reinterpret_cast<Granule*>(batch.payload()); }
}  // namespace

void TaskPool::add_to_batch(Task& batch, Task* task) noexcept {
  static_assert(Task::kHeaderBytes + kBatchMax * sizeof(Granule) <= class_bytes(0));
  names_in(batch)[batch.access_count++] = TaskArena::granule(task);
}

// Moves the older half of a full stack to its list.
void TaskPool::spill(Stack& stack) noexcept {
  for (Task** older = stack.bottom(); older != stack.middle(); ++older) {
    (*older)->next = stack.more;
    stack.more = *older;
    *older = older[kStackMax / 2];
  }
  stack.more_count += kStackMax / 2;
  stack.top = stack.middle();
}

void TaskPool::unpack_returned() noexcept {
  for (Task* batch = returned_.owner_take_all(); batch != nullptr;) {
    Task* next = batch->next;
    const unsigned size_class = batch->size_class;
    for (std::uint32_t i = 0; i < batch->access_count; ++i) {
      put(size_class, TaskArena::task(names_in(*batch)[i]));
    }
    put(size_class, batch);
    batch = next;
  }
}

Task* TaskPool::refill(unsigned size_class) noexcept {
  Stack& stack = stacks_[size_class];
  while (stack.more != nullptr && stack.top != stack.middle()) {
    *stack.top++ = stack.more;
    stack.more = stack.more->next;
    stack.more_count -= 1;
  }
  if (stack.more_count < stack.more_least) stack.more_least = stack.more_count;
  if (stack.top == stack.bottom()) unpack_returned();
  return stack.top != stack.bottom() ? allocate_class(size_class) : carve(size_class);
}

Task* TaskPool::carve(unsigned size_class) noexcept {
  Stack& stack = stacks_[size_class];
  const std::size_t bytes = class_bytes(size_class);
  if (stack.carve_next == nullptr || stack.carve_next + bytes > stack.carve_end) {
    if (!take_chunk(stack)) return nullptr;
  }
  Task* task = reinterpret_cast<Task*>(stack.carve_next);
  if (stack.carve_generation == 0) {
    task = ::new (stack.carve_next) Task{};
  } else {
    task->successors.begin_again(stack.carve_generation);
  }
  stack.carve_next += bytes;
  task->home = home_ & Task::kHomeMax;
  task->size_class = size_class & Task::kSizeClassMax;
  return task;
}

bool TaskPool::take_chunk(Stack& stack) noexcept {
  std::byte* memory = nullptr;
  if (const std::uint32_t number = stack.dropped; number != 0) {
    memory = TaskArena::chunk_memory(number);
    stack.dropped = TaskArena::chunk(number).next;
    stack.carve_generation = TaskArena::chunk(number).generation_max + 1;
  } else {
    memory = TaskArena::take_chunk();
    stack.carve_generation = 0;
  }
  stack.carve_next = memory;
  stack.carve_end = memory + (memory == nullptr ? 0 : TaskArena::kChunkBytes);
  return memory != nullptr;
}

// ---- invariants ---------------------------------------------------------------------------------

bool TaskPool::is_free(const Task& task, unsigned size_class) const noexcept {
  return task.home == (home_ & Task::kHomeMax) && task.size_class == size_class &&
         task.interior == nullptr && task.extra_edges.load(sync::relaxed) == nullptr &&
         (task.flags & kExternal) == 0 && !task.successors.is_closed(task.successors.generation());
}

const char* TaskPool::broken_invariant() const noexcept {
  for (unsigned size_class = 0; size_class < kClasses; ++size_class) {
    const Stack& stack = stacks_[size_class];
    std::uint32_t linked = 0;
    bool are_free = true;
    for (Task* const* place = stack.bottom(); place != stack.top; ++place) {
      are_free &= is_free(**place, size_class);
    }
    for (const Task* task = stack.more; task != nullptr; task = task->next, ++linked) {
      are_free &= is_free(*task, size_class);
    }
    if (!are_free) return "something is left of a task whose memory is free";
    if (linked != stack.more_count) return "another number of free tasks is counted";
  }
  return nullptr;
}

// ---- giving pages back --------------------------------------------------------------------------

void TaskPool::trim() noexcept {
  bool has_much = false;
  for (unsigned i = 0; i < kClasses; ++i) has_much |= stacks_[i].more_count > kept_count(i);
  if (MYR_LIKELY(!has_much)) return;
  const std::uint64_t now = plat::now_ns();
  if (now - trimmed_ns_ < kTrimEveryNs) return;
  trimmed_ns_ = now;
  trim_now();
}

void TaskPool::trim_now() noexcept {
  unpack_returned();
  for (unsigned i = 0; i < kClasses; ++i) {
    Stack& stack = stacks_[i];
    if (stack.more_least > kept_count(i)) drop_idle(stack, i, stack.more_least - kept_count(i));
    stack.more_least = stack.more_count;
  }
}

// Drops as many of the chunks of which all tasks are in the list as make up the idle ones.
void TaskPool::drop_idle(Stack& stack, unsigned size_class, std::uint32_t idle) noexcept {
  using Chunk = TaskArena::Chunk;
  const auto all = static_cast<std::uint32_t>(TaskArena::kChunkBytes / class_bytes(size_class));
  for (const Task* task = stack.more; task != nullptr; task = task->next) {
    TaskArena::chunk(TaskArena::chunk_number(task)).counted += 1;
  }
  // The tasks of a chunk that goes are counted on as they leave the list.
  for (Task** link = &stack.more; *link != nullptr;) {
    Task* const task = *link;
    const std::uint32_t number = TaskArena::chunk_number(task);
    Chunk& chunk = TaskArena::chunk(number);
    if (chunk.counted == all && idle >= all) {
      idle -= all;
      chunk.generation_max = 0;
      chunk.counted += 1;
    } else if (chunk.counted > all) {
      chunk.counted += 1;
    } else {
      link = &task->next;
      continue;
    }
    *link = task->next;
    stack.more_count -= 1;
    chunk.generation_max = std::max(chunk.generation_max, task->successors.generation());
    if (chunk.counted < 2 * all) continue;
    chunk.counted = 0;
    chunk.next = std::exchange(stack.dropped, number);
    TaskArena::drop_pages(number);
  }
  for (const Task* task = stack.more; task != nullptr; task = task->next) {
    TaskArena::chunk(TaskArena::chunk_number(task)).counted = 0;
  }
}

Task* TaskPool::allocate_large(std::size_t payload_bytes) noexcept {
  const std::size_t bytes = Task::kHeaderBytes + payload_bytes;
  for (unsigned size_class = kSmallClasses; size_class < kClasses; ++size_class) {
    if (bytes <= class_bytes(size_class)) return allocate_class(size_class);
  }
  void* block = std::malloc(payload_bytes);
  if (block == nullptr) return nullptr;
  Task* task = allocate_class(0);
  if (task == nullptr) {
    std::free(block);
    return nullptr;
  }
  task->flags = kExternal;
  *reinterpret_cast<void**>(task->payload()) = block;
  return task;
}

void TaskPool::free_external(Task* task) noexcept {
  std::free(*reinterpret_cast<void**>(task->payload()));
  task->flags = 0;
}

}  // namespace myr::graph
