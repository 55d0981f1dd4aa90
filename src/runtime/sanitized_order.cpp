// SPDX-License-Identifier: Apache-2.0
#include "runtime/sanitized_order.hpp"

#include <algorithm>
#include <utility>

#include "runtime/sanitized_places.hpp"

namespace myr::runtime {

namespace {

// Tasks that use memory in the same one of these ways, but Alone, are in no order with each other.
enum Way : std::uint8_t { Alone, Reading, Together };
constexpr unsigned kWays = 3;
constexpr std::size_t kCellBytes = 8;
// For each way, those that are in a place, and those that are within it. Places that share cells
// order too much, which hides races, and accuses nobody.
constexpr std::size_t kCells = std::size_t{1} << 16;
constexpr std::size_t kBytes = kCells * 2 * kWays * kCellBytes;

Way way_of(const myr_access& access) {
  if ((access.flags & MYR_CONCURRENT) != 0) return Together;
  return (access.flags & MYR_OUT) != 0 ? Alone : Reading;
}

// Others use what a task hands on; and what is passed by value is nobody else's.
bool is_ordered(const myr_access& access) {
  if (!base::is_watched_for_races()) return false;
  if ((access.flags & (MYR_VALUE | MYR_WEAK)) != 0 || (access.flags & MYR_INOUT) == 0) return false;
  return (access.flags & MYR_REGION) != 0 || access.address != nullptr;
}

std::size_t cell_of(const Place& place, bool is_within, Way way) {
  const std::size_t cell = (place.key % kCells * 2 + (is_within ? 1 : 0)) * kWays + way;
  return cell * kCellBytes;
}

}  // namespace

SanitizedOrder::SanitizedOrder(const SanitizedMemory& memory)
    : memory_(memory), cells_(std::make_unique_for_overwrite<std::byte[]>(kBytes)) {}

void SanitizedOrder::acquire(const myr_access& access) const {
  if (!is_ordered(access)) return;
  const Way own = way_of(access);
  for (const Place& place : places_of(access, memory_)) {
    for (const Way way : {Alone, Reading, Together}) {
      if (way == own && own != Alone) continue;
      base::tell_acquire(&cells_[cell_of(place, false, way)]);
      if (!place.is_around) base::tell_acquire(&cells_[cell_of(place, true, way)]);
    }
  }
}

void SanitizedOrder::release(const myr_access* accesses, std::size_t count) const {
  for (const myr_access* access = accesses; access != accesses + count; ++access) {
    if (!is_ordered(*access)) continue;
    for (const Place& place : places_of(*access, memory_)) {
      base::tell_release(&cells_[cell_of(place, place.is_around, way_of(*access))]);
    }
  }
}

// Does the task around it say nothing of some of the memory that it uses?
bool SanitizedOrder::uses_own_memory(const TaskRecord& task) const {
  const TaskRecord& above = *task.spawner;
  if (above.spawner == nullptr) return false;  // a root holds everything
  const auto is_covered = [&](const myr_access& inner) {
    return !is_ordered(inner) ||
           std::any_of(above.declared, above.declared + above.declared_count,
                       [&](const myr_access& outer) {
                         return (outer.flags & MYR_VALUE) == 0 && is_within(inner, outer, memory_);
                       });
  };
  return !std::all_of(task.declared, task.declared + task.declared_count, is_covered);
}

// To wait for a task is to wait also for those below it that use memory which it has not declared:
// it is new, or reached through what the task has declared.
void SanitizedOrder::release_above(const TaskRecord& task) const {
  for (const TaskRecord* at = task.owner; at != nullptr; at = at->spawner->owner) {
    release(at->spawner->declared, at->spawner->declared_count);
  }
}

// Tells the one that may wait for all that it has spawned: the first task around it that runs.
//
// A task that is left passes on what its children have told it until then (end()). So a child that
// tells it looks afterwards whether it was left, and then tells the next one by itself.
void SanitizedOrder::tell_family(const TaskRecord& task) const {
  for (TaskRecord* at = task.parent.load(sync::relaxed);;) {
    base::tell_release(at->children);
    TaskRecord* const above = at->parent.load(sync::relaxed);
    if (above == nullptr) return base::tell_release(ended_);
    // [runtime.left] Either we see that it was left, or it finds what we have told it.
    if (!at->is_left.load(sync::seq_cst)) return;
    if (above->is_left.load(sync::relaxed)) {
      at->parent.store(above->parent.load(sync::relaxed), sync::relaxed);
    }
    at = above;
  }
}

void SanitizedOrder::spawn(TaskRecord& task, TaskRecord& parent) {
  parent.has_spawned = true;
  task.spawner = &parent;
  task.parent.store(&parent, sync::relaxed);
  base::tell_first_release(task.begun);
  base::tell_first_release(task.children);
}

void SanitizedOrder::begin(TaskRecord& task, const myr_access* accesses, std::size_t count) const {
  task.accesses = accesses;
  task.access_count = count;
  task.owner = uses_own_memory(task) ? &task : task.spawner->owner;
  base::tell_acquire(task.begun);
  wait(accesses, count);
}

void SanitizedOrder::end_first(TaskRecord& task) const {
  release(task.accesses, task.access_count);
  base::tell_release(task.begun);
  base::tell_old_memory(task.accesses, task.access_count * sizeof(myr_access));
}

void SanitizedOrder::end(TaskRecord& task) const {
  release(task.accesses, task.access_count);
  release_above(task);
  tell_family(task);
  if (!task.has_spawned) return;
  task.is_left.store(true, sync::seq_cst);  // [runtime.left]
  base::tell_acquire(task.children);
  tell_family(task);
}

void SanitizedOrder::drop(TaskRecord& task) {
  base::tell_old_memory(task.closure(), task.closure_bytes);
  base::tell_old_memory(task.declared, task.declared_count * sizeof(myr_access));
}

void SanitizedOrder::wait(const myr_access* accesses, std::size_t count) const {
  for (std::size_t i = 0; i < count; ++i) acquire(accesses[i]);
}

void SanitizedOrder::wait_all(TaskRecord& task) {
  base::tell_acquire(task.children);
  task.has_spawned = false;
}

void SanitizedOrder::make_event(myr_event event, TaskRecord& task) {
  const base::InLibrary in_library;
  const std::scoped_lock lock(lock_);
  held_[event] = {&task, {task.accesses, task.accesses + task.access_count}};
}

void SanitizedOrder::complete(myr_event event) {
  Held held;
  {
    const base::InLibrary in_library;
    const std::scoped_lock lock(lock_);
    const auto found = held_.find(event);
    if (found == held_.end()) return;
    held = std::move(found->second);
    held_.erase(found);
  }
  release(held.accesses.data(), held.accesses.size());
  release_above(*held.task);
  base::tell_release(held.task->children);
  tell_family(*held.task);
}

}  // namespace myr::runtime
