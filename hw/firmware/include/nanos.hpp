// SPDX-License-Identifier: Apache-2.0
//
// The baselines of paper 4, in the manner of Nanos: task objects, a mutex around everything that is
// shared, modules behind virtual functions, and one central queue that every ready task passes.
// With -DRUNTIME=nanos_sw dependences are found in software, by a map from addresses to the tasks
// that use them; with nanos_rv by the hardware. There is no system call here, no allocator and no
// operating system, so that a task costs far less than with Nanos on Linux; what the comparison
// keeps is the structure.
//
// Core 0 spawns; all cores run tasks. Limits: kTasks tasks between spawn and retirement; core 0
// runs tasks while there is no room for another.
#pragma once

#include <myr/frontend.h>

#include "picos.h"
#include "platform.h"
#include "ticket_lock.hpp"

namespace nanos {

inline constexpr unsigned kTasks = 256;
inline constexpr unsigned kClosureWords = 15;
inline constexpr uint64_t kIdleCycles = 20;  // between two looks at the central queue

class Locked {
 public:
  explicit Locked(TicketLock& lock) : lock_(lock) {
    const uint32_t ticket = lock_.take_ticket();
    while (!lock_.is_turn_of(ticket)) {
    }
  }
  ~Locked() { lock_.unlock(); }
  Locked(const Locked&) = delete;

 private:
  TicketLock& lock_;
};

struct Link;

struct Access {
  uint64_t address;
  uint64_t direction;  // as in packets
};

struct alignas(CACHE_LINE) Task {
  uint64_t closure[kClosureWords];
  myr_body body;
  Task* next;          // in the central queue or the list of free tasks
  uint64_t picos_id;   // with dependences in hardware
  unsigned waits_for;  // predecessors that have not retired
  unsigned access_count;
  Link* successors;
  Access accesses[PICOS_DEPS_MAX];
};

// First in, first out; guarded by a mutex of its own.
class Queue {
 public:
  void push(Task* task) {
    const Locked locked(mutex_);
    task->next = nullptr;
    (first_ == nullptr ? first_ : last_->next) = task;
    last_ = task;
  }
  Task* pop() {
    const Locked locked(mutex_);
    Task* const task = first_;
    if (task != nullptr) first_ = task->next;
    return task;
  }

 private:
  TicketLock mutex_;
  Task* first_ = nullptr;
  Task* last_ = nullptr;
};

// Orders tasks by their accesses, and hands those that may run to the scheduler.
class Dependences {
 public:
  // False if there is no room now; the caller then runs tasks.
  virtual bool submit(Task* task) = 0;
  virtual void retire(Task* task) = 0;
  // Called by idle cores.
  virtual void poll() = 0;
};

class Scheduler {
 public:
  virtual void ready(Task* task) { queue_.push(task); }
  virtual Task* next() { return queue_.pop(); }

 private:
  Queue queue_;
};

inline Scheduler central;
inline Scheduler* volatile scheduler;  // as plug-ins are: found at run time
inline Dependences* volatile dependences;
inline Queue free_tasks;
inline Task tasks[kTasks];
inline __thread bool* frame;  // not nullptr: the core runs a task
inline TicketLock count_mutex;
inline uint64_t unfinished;

inline void start(Dependences* chosen) {
  for (Task& task : tasks) free_tasks.push(&task);
  scheduler = &central;
  __atomic_store_n(&dependences, chosen, __ATOMIC_RELEASE);  // lets the other cores begin
}

// Runs a task if there is one; otherwise waits a little.
inline void help() {
  dependences->poll();
  Task* const task = scheduler->next();
  if (task == nullptr) return wait_cycles(kIdleCycles);
  bool inside = true;
  frame = &inside;
  task->body(task->closure, nullptr);
  frame = nullptr;
  dependences->retire(task);
  free_tasks.push(task);
  const Locked locked(count_mutex);
  unfinished -= 1;
}

[[noreturn]] inline void work(unsigned) {
  while (__atomic_load_n(&dependences, __ATOMIC_ACQUIRE) == nullptr) {
  }
  for (;;) help();
}

inline Task* take_slot() {
  for (;;) {
    if (Task* const task = free_tasks.pop()) return task;
    help();
  }
}

inline constexpr bool kNested = false;
inline constexpr bool kRanges = false;
// There are no children: declared for code that is left out.
Task* take_child_slot();
void submit_child(Task*, myr_body, unsigned);
inline void wait_children() {}

template <class ForEach>
void submit(Task* task, myr_body body, unsigned, uint64_t, const ForEach& for_each) {
  task->body = body;
  task->access_count = 0;
  for_each([task](uint64_t address, uint64_t direction, bool) {
    if (address != 0) task->accesses[task->access_count++] = {address, direction};
  });
  {
    const Locked locked(count_mutex);
    unfinished += 1;
  }
  while (!dependences->submit(task)) help();
}

inline void wait_all() {
  for (;;) {
    {
      const Locked locked(count_mutex);
      if (unfinished == 0) return;
    }
    help();
  }
}

}  // namespace nanos
