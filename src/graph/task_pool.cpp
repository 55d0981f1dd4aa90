// SPDX-License-Identifier: Apache-2.0
#include "graph/task_pool.hpp"

#include <cstdlib>
#include <new>

#include "graph/task_arena.hpp"

namespace myr::graph {

Task* TaskPool::refill(unsigned size_class) noexcept {
  for (Task* task = returned_.owner_take_all(); task != nullptr;) {
    Task* next = task->next;
    recycle(task);
    task = next;
  }
  return free_[size_class] != nullptr ? allocate_class(size_class) : carve(size_class);
}

Task* TaskPool::carve(unsigned size_class) noexcept {
  const std::size_t bytes = class_bytes(size_class);
  if (carve_next_[size_class] == nullptr ||
      carve_next_[size_class] + bytes > carve_end_[size_class]) {
    std::byte* chunk = TaskArena::take_chunk();
    if (chunk == nullptr) return nullptr;
    carve_next_[size_class] = chunk;
    carve_end_[size_class] = chunk + TaskArena::kChunkBytes;
  }
  Task* task = ::new (carve_next_[size_class]) Task{};
  carve_next_[size_class] += bytes;
  task->home = home_;
  task->size_class = static_cast<std::uint8_t>(size_class);
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
