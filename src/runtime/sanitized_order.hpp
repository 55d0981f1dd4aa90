// SPDX-License-Identifier: Apache-2.0
//
// SanitizedOrder: tells ThreadSanitizer which tasks come before which, as the program has declared
// it: not what threads do in this run. A task acquires what it has declared when it begins, and
// releases it when it ends; so tasks that have nothing to do with each other are not ordered, and
// what they both touch is a race.
//
// A task is known by the record in front of its closure. See ADR 125.
//
// Threads: any; a record's by the thread that spawns its task, then by the one that runs it.
// Invariant: the record of a task is there until the task has ended with all that it has spawned.
#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "base/sanitizers.hpp"
#include "myr/myr.h"
#include "runtime/sanitized_memory.hpp"
#include "sync/atomic.hpp"

namespace myr::runtime {

// The record of a task, or the root that a thread runs.
struct alignas(16) TaskRecord {
  myr_two_bodies bodies = {};     // or that of the whole alone
  TaskRecord* spawner = nullptr;  // the task around it; nullptr: it is a root
  // It, or the next one around it, that uses memory of which the task around that says nothing.
  const TaskRecord* owner = nullptr;
  // As `spawner`, but tasks that have ended are left out.
  sync::Atomic<TaskRecord*> parent{nullptr};
  const myr_access* declared = nullptr;  // what it is spawned with
  const myr_access* accesses = nullptr;  // while it runs
  std::size_t access_count = 0;
  std::size_t declared_count = 0;
  std::size_t last_count = 0;  // of these the second of two has
  std::size_t closure_bytes = 0;
  bool has_spawned = false;  // since it has waited for all
  // Its body has returned, and what it has spawned has not ended.
  sync::Atomic<bool> is_left{false};
  // Places: what was done before the task was spawned, or by its first half; what has been done by
  // the tasks that it has spawned.
  std::byte begun[8] = {};
  std::byte children[8] = {};

  [[nodiscard]] void* closure() noexcept { return this + 1; }
};

class SanitizedOrder {
 public:
  explicit SanitizedOrder(const SanitizedMemory& memory);

  // The running task is about to spawn it.
  static void spawn(TaskRecord& task, TaskRecord& parent);
  void begin(TaskRecord& task, const myr_access* accesses, std::size_t count) const;
  void end(TaskRecord& task) const;
  // The first of two tasks with one record has ended.
  void end_first(TaskRecord& task) const;
  // The program has let go of the closure, and will not be asked about the task any more.
  static void drop(TaskRecord& task);
  // The running task has waited for these, or for all children.
  void wait(const myr_access* accesses, std::size_t count) const;
  static void wait_all(TaskRecord& task);

  // An event of the running task's.
  void make_event(myr_event event, TaskRecord& task);
  // It is about to be completed: the task ends behind what the thread has done. Any thread.
  void complete(myr_event event);

  // All tasks of all roots have ended.
  void finish() { base::tell_acquire(ended_); }

 private:
  struct Held {
    TaskRecord* task;
    std::vector<myr_access> accesses;
  };
  void acquire(const myr_access& access) const;
  void release(const myr_access* accesses, std::size_t count) const;
  [[nodiscard]] bool uses_own_memory(const TaskRecord& task) const;
  void release_above(const TaskRecord& task) const;
  void tell_family(const TaskRecord& task) const;

  const SanitizedMemory& memory_;
  std::unique_ptr<std::byte[]> cells_;  // of places: addresses for tell_release()
  mutable std::byte ended_[8] = {};     // what all tasks have done
  std::mutex lock_;                     // guards what follows
  std::unordered_map<myr_event, Held> held_;
};

}  // namespace myr::runtime
