// SPDX-License-Identifier: Apache-2.0
#include "graph/task_pool.hpp"

#include <cstdlib>
#include <new>

#include "graph/task_arena.hpp"

namespace myr::graph {

namespace {
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
  }
  if (stack.top == stack.bottom()) unpack_returned();
  return stack.top != stack.bottom() ? allocate_class(size_class) : carve(size_class);
}

Task* TaskPool::carve(unsigned size_class) noexcept {
  Stack& stack = stacks_[size_class];
  const std::size_t bytes = class_bytes(size_class);
  if (stack.carve_next == nullptr || stack.carve_next + bytes > stack.carve_end) {
    std::byte* chunk = TaskArena::take_chunk();
    if (chunk == nullptr) return nullptr;
    stack.carve_next = chunk;
    stack.carve_end = chunk + TaskArena::kChunkBytes;
  }
  Task* task = ::new (stack.carve_next) Task{};
  stack.carve_next += bytes;
  task->home = home_ & Task::kHomeMax;
  task->size_class = size_class & Task::kSizeClassMax;
  return task;
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
