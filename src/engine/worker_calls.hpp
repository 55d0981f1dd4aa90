// SPDX-License-Identifier: Apache-2.0
//
// The calls of a Worker that programs make most, to be inlined into those of myr.h: what they cost
// there is what a task costs.
#pragma once

#include <utility>

#include "base/shared_word.hpp"
#include "engine/engine.hpp"
#include "graph/interior.hpp"
#include "graph/resolve.hpp"
#include "mem/heap.hpp"
#include "sync/cancelled_regions.hpp"

namespace myr::engine {

// The caller has just written the accesses, a word at a time, and the last of them are not in the
// cache yet: a load of both words of one at once would have to wait until they are.
inline constexpr std::size_t kJustWritten = 2;

inline void copy_accesses(const myr_access* from, std::size_t count, myr_access* to) noexcept {
  std::size_t i = 0;
  for (; i + kJustWritten < count; ++i) to[i] = from[i];
  for (; i < count; ++i) {
    to[i].address = base::load_shared(from[i].address);
    graph::length_word(to[i]) = base::load_shared(graph::length_word(from[i]));
  }
}

// Memory of a task that was called goes to the next one, past the pool.
MYR_INLINE graph::Task* Worker::take_memory(std::size_t payload_bytes) {
  graph::Task* const spare = spare_;
  if (MYR_LIKELY(graph::Task::kHeaderBytes + payload_bytes <= free_spare_bytes_)) {
    free_spare_bytes_ = 0;
    spare->flags = 0;
    return spare;
  }
  return recycler_.pool().allocate(payload_bytes);
}

// A task of the spare memory that was queued goes back to the pool, which may give the memory to a
// large task, so that is no proof that its payload is here. REQUIRES: nobody knows the task.
MYR_INLINE void Worker::keep_memory(graph::Task* task) {
  const bool is_external = (task->flags & graph::kExternal) != 0;
  if (MYR_LIKELY(task == spare_ && !is_external)) {
    free_spare_bytes_ = spare_bytes_;
  } else if (free_spare_bytes_ == 0 && !is_external) {
    spare_ = task;
    spare_bytes_ = free_spare_bytes_ = graph::TaskPool::class_bytes(task->size_class);
  } else {
    static_cast<void>(task->successors.complete_unshared());
    recycler_.recycle(task);
  }
}

MYR_INLINE graph::Task* Worker::new_task(std::size_t closure_bytes, std::size_t access_count,
                                         std::size_t behind) {
  const std::size_t closure_room = base::round_up(closure_bytes, graph::kGranuleBytes);
  graph::Task* task = take_memory(closure_room + access_count * sizeof(myr_access) + behind);
  if (MYR_UNLIKELY(task == nullptr)) throw_bad_alloc();
  task->access_count = static_cast<std::uint32_t>(access_count);
  std::size_t before = graph::Task::kHeaderBytes;
  if (MYR_UNLIKELY((task->flags & graph::kExternal) != 0)) {
    if (closure_room > UINT32_MAX) throw_bad_alloc();
    before = 0;
  }
  task->access_offset = static_cast<std::uint32_t>(before + closure_room);
  return task;
}

MYR_INLINE void Worker::adopt_child(graph::Task* task) {
  graph::Task* parent = task_;
  if (MYR_UNLIKELY(parent->interior == nullptr)) recycler_.attach_interior(*parent);
  graph::Interior& family = *parent->interior;
  task->parent = parent;
  task->depth = parent->depth + 1;
  task->order = stats_.spawned;
  family.spawned += 1;
  stats_.spawned += 1;
  const auto arena = reinterpret_cast<std::uintptr_t>(family.arena.get());
  if (MYR_UNLIKELY((arena | observed_.value()) != 0)) {  // one branch for both
    if (family.arena != nullptr) take_into_arena(*task);
    if (observed_) observe_child(*task);
  }
}

MYR_INLINE myr_draft Worker::new_draft(std::size_t closure_bytes, std::size_t access_count) {
  graph::Task* task = new_task(closure_bytes, access_count, 0);
  return {task->closure(), task->accesses(), task};
}

MYR_INLINE void Worker::submit(const myr_draft& draft, myr_body body, const myr_site* site) {
  graph::Task* task = static_cast<graph::Task*>(draft.task);
  task->body = body;
  task->site = site;
  submit(task);
}

MYR_INLINE void Worker::spawn(myr_function function, const myr_access* accesses, std::size_t count,
                              const myr_site* site) {
  graph::Task* task = new_task(0, count, 0);
  task->set(graph::kPlainFunction);
  task->function = function;
  task->site = site;
  copy_accesses(accesses, count, task->accesses());
  submit(task);
}

// A closure's body catches what it throws itself; a plain function may be a C++ one, too.
MYR_INLINE void Worker::call_function(graph::Task* task) {
  try {
    task->function(task->accesses());
  } catch (...) {
    fail(base::Exception::caught());
  }
}

// What the task that ended has made ready.
MYR_INLINE graph::Task* Worker::take_next() {
  graph::Task* const next = std::exchange(next_, nullptr);
  return MYR_UNLIKELY(engine_.common().has_some()) && next != nullptr ? most_urgent(next) : next;
}

// Runs a child of the running task that its domain does not know. If that has spawned nothing,
// nobody waits for it, and only its memory is left of it.
MYR_INLINE void Worker::run_alone(graph::Task* task) {
  if (MYR_UNLIKELY(sample_left_ == 1 || done_parent_ != nullptr) ||
      MYR_UNLIKELY((observed_.value() | sync::CancelledRegions::count()) != 0)) {
    return run_chain(task);
  }
  graph::Task* const parent = std::exchange(task_, task);
  progress_.step();
  stats_.ran += 1;
  sample_left_ -= 1;
  if ((task->flags & graph::kPlainFunction) != 0) {
    call_function(task);
  } else {
    task->body(task->closure(), task->accesses());
  }
  task_ = parent;
  if (MYR_UNLIKELY(task->interior != nullptr)) {
    end(task);
    if (graph::Task* const next = take_next()) run_chain(next);
    return;
  }
  keep_memory(task);
  parent->interior->finished_here += 1;
}

MYR_INLINE bool Worker::may_change_again(myr_region id) const noexcept {
  return changeable_.region == id && changeable_.task == task_ && changeable_.steps == step_count();
}

MYR_INLINE void* Worker::allocate(std::size_t bytes, myr_region region, const char* call,
                                  const myr_site* site) {
  if (MYR_LIKELY(may_change_again(region))) {
    void* const object = changeable_.pool->alloc_at_once(bytes);  // of no bytes: none
    if (MYR_LIKELY(object != nullptr)) return object;
  }
  return allocate_slow(bytes, region, call, site);
}

// A root leaves what lies in another root's region 0 to that one, which may be using the pool. A
// task holds the region.
MYR_INLINE void Worker::free_target(const graph::Target& target, void* object) {
  if (MYR_UNLIKELY(target.region != region_zero_) && task_->depth == 0 &&
      (target.region == deps::kRootRegion || space().tree().is_apart(target.region))) {
    engine_.give_back(object, target.region);
  } else {
    static_cast<void>(mem::Heap::free(space().pool(target.region), object));
  }
}

MYR_INLINE void Worker::free(void* object, const myr_site* site) {
  const graph::Target target = object_to_free(object, "myr_free", site);
  wait_if_used(myr_inout(object), site);
  free_target(target, object);
}

}  // namespace myr::engine
