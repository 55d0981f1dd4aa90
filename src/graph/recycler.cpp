// SPDX-License-Identifier: Apache-2.0
#include "graph/recycler.hpp"

// In a program that is compiled with -fsanitize=address: what only tasks point to, whose memory the
// sanitizer does not look through, is no leak.
extern "C" __attribute__((weak)) void __lsan_ignore_object(const void* object);

namespace myr::graph {

Recycler::Recycler(std::uint16_t index, const Recyclers& all)
    : index_(index), pool_(index), all_(all), outboxes_(base::make_zeroed<Outbox>(all.size())) {}

Recycler::~Recycler() {
  while (interiors_ != nullptr) {
    Interior* interior = interiors_;
    interiors_ = interior->next;
    delete interior;
  }
}

void Recycler::attach_interior(Task& owner) {
  Interior* interior = interiors_;
  if (interior != nullptr) {
    interiors_ = interior->next;
    interior_count_ -= 1;
  } else {
    interior = new Interior;
    if (__lsan_ignore_object != nullptr) __lsan_ignore_object(interior);
  }
  owner.interior = interior;
  owner.references.attach();
}

void Recycler::detach_interior(Task* task) noexcept {
  Interior* interior = task->interior;
  task->interior = nullptr;
  if (interior_count_ == kInteriorsKept) {
    delete interior;
    return;
  }
  interior->domain.trim();
  if (MYR_UNLIKELY(!interior->declared.empty())) interior->declared.clear();
  if (MYR_UNLIKELY(interior->arena != nullptr)) interior->arena.reset();
  interior->spawned = 0;
  interior->finished_here = 0;
  interior->lends_stack = false;
  interior->outstanding.store(0, sync::relaxed);
  interior->next = interiors_;
  interiors_ = interior;
  interior_count_ += 1;
}

void Recycler::recycle_edges(Task* task) noexcept {
  Task* block = task->extra_edges.load(sync::relaxed);
  task->extra_edges.store(nullptr, sync::relaxed);
  while (block != nullptr) {
    Task* next = block->next;
    send_home(block);
    block = next;
  }
}

void Recycler::send_out(Task* task) noexcept {
  if (MYR_UNLIKELY((task->flags & kExternal) != 0)) TaskPool::free_external(task);
  if (task->home >= homes_end_) homes_end_ = task->home + 1U;
  Outbox& outbox = outboxes_[task->home];
  if (outbox.first != nullptr && outbox.first->size_class == task->size_class &&
      !TaskPool::is_full(*outbox.first)) {
    TaskPool::add_to_batch(*outbox.first, task);
    return;
  }
  if (outbox.count == kBatchesAtOnce) send(task->home);
  TaskPool::start_batch(*task);
  task->next = outbox.first;
  if (outbox.first == nullptr) outbox.last = task;
  outbox.first = task;
  outbox.count += 1;
}

void Recycler::send(std::uint16_t home) noexcept {
  Outbox& outbox = outboxes_[home];
  all_[home]->pool().return_batches(outbox.first, outbox.last);
  outbox = {};
}

void Recycler::flush() noexcept {
  for (std::uint16_t home = 0; home < homes_end_; ++home) {
    if (outboxes_[home].count != 0) send(home);
  }
}

}  // namespace myr::graph
