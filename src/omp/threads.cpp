// SPDX-License-Identifier: Apache-2.0
#include "omp/threads.hpp"

#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>

#include "graph/task_arena.hpp"
#include "omp/locks.hpp"
#include "omp/places.hpp"
#include "plat/stack_guard.hpp"

namespace myr::omp {

constinit thread_local Thread* this_thread = nullptr;
constinit Locks locks;

namespace {

Thread* idle_workers = nullptr;            // guarded by locks.threads
Thread* old_records = nullptr;             // of threads that have ended; the same
sync::Atomic<unsigned> threads_in_use{1};  // while there is a limit; any thread
sync::Atomic<int> record_count{0};         // any thread
pthread_key_t exit_key;
bool any_entered = false;  // the first thread is counted as awake from the start; locks.threads

Thread* new_record() {
  {
    const Lock lock(locks.threads);
    if (Thread* record = old_records) {
      old_records = record->next;
      note_acquire(record);
      record->stack_half = 0;  // it was another thread's
      return record;
    }
  }
  void* memory = std::aligned_alloc(alignof(Thread), sizeof(Thread));
  if (memory == nullptr) fail("Out of memory for a thread");
  auto* record = new (memory) Thread;
  record->number = record_count.fetch_add(1, sync::relaxed);
  return record;
}

void keep_record(Thread& self) {
  note_release(&self);
  const Lock lock(locks.threads);
  self.next = old_records;
  old_records = &self;
}

void thread_exits(void* argument) {
  auto* self = static_cast<Thread*>(argument);
  give_crew_back(*self);
  Team* outside = self->at.team;  // which it was in, outside of all regions
  outside->next_spare = self->spare_alone;
  self->spare_alone = outside;
  this_thread = nullptr;
  count_awake(-1);
  keep_record(*self);
}

void tell_full_stack(const void*, const plat::StackOverflow& overflow) noexcept {
  char text[256];
  std::snprintf(text, sizeof text,
                "\nlibgomp: The stack of a thread of a parallel region, %zu KiB, is full. Ask for "
                "larger ones, for instance with OMP_STACKSIZE=%zuM in the environment.\n",
                overflow.bytes >> 10, overflow.enough_mib());
  plat::write_to_stderr(text);
}

void tell_full_first_stack(const void*, const plat::StackOverflow& overflow) noexcept {
  char text[256];
  std::snprintf(text, sizeof text,
                "\nlibgomp: The stack of the program's first thread, %zu KiB, is full. Ask for a "
                "larger one before the program starts, for instance by `ulimit -s %zu`.\n",
                overflow.bytes >> 10, overflow.enough_mib() << 10);
  plat::write_to_stderr(text);
}

// As soon as it uses OpenMP: its tasks may fill it though it never has a team.
void watch_first_stack() {
  if (gettid() != getpid()) return;
  static const plat::StackBounds stack = plat::this_thread_stack();
  plat::watch_stack({.stack = &stack, .tell = tell_full_first_stack});
}

// No handler of the program's runs in the calling thread from now on. Returns what was blocked.
sigset_t block_signals() noexcept {
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  return before;
}

// What a worker starts with.
struct Start {
  Thread& worker;
  sigset_t signals;  // that are blocked
};

void* worker_main(void* argument) {
  std::unique_ptr<Start> told(static_cast<Start*>(argument));
  Thread& self = told->worker;
  // Where run_part() will put it. From now on a handler of a signal may ask where that is.
  self.at.team = self.told_team;
  self.at.index = self.told_index;
  self.at.task = &self.told_team->slots[self.told_index].implicit;
  this_thread = &self;
  pthread_sigmask(SIG_SETMASK, &told->signals, nullptr);
  told.reset();
  const plat::StackBounds stack = plat::this_thread_stack();
  plat::watch_stack({.stack = &stack, .tell = tell_full_stack});
  while (self.told_team != nullptr) {
    const unsigned team_size = self.told_team->size;  // its next region may have another
    run_part(self, *self.told_team, self.told_index);
    wait_in_dock(self, team_size);
  }
  plat::unwatch_stack();
  block_signals();  // the record is another thread's from now on
  count_awake(-1);
  keep_record(self);
  return nullptr;
}

void before_fork() {
  locks.for_each([](Mutex& lock) { lock.lock(); });
}
void after_fork() {
  locks.for_each([](Mutex& lock) { lock.unlock(); });
}

// It has this thread only.
void in_forked_child() {
  locks.for_each([](Mutex& lock) { lock.reset(); });
  idle_workers = nullptr;
  threads_in_use.store(1, sync::relaxed);
  count_awake_in_child();
  Thread* self = this_thread;
  if (self == nullptr) return;
  self->crew_count = 0;
  self->crew_used = 0;
  self->spare_teams = nullptr;  // others may have been in them
  self->spare_alone = nullptr;
  const Icv* icv = self->at.task->icv;
  static_cast<void>(leave_teams(*self, icv));
  self->at.team->outer = {};
}

[[gnu::constructor(101)]] void library_is_loaded() {
  read_environment();
  read_places();
  display_environment_if_asked();
  pthread_key_create(&exit_key, thread_exits);
  pthread_atfork(before_fork, after_fork, in_forked_child);
}

}  // namespace

void start(Thread& worker) {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  if (settings.stack_bytes != 0 &&
      pthread_attr_setstacksize(&attributes, settings.stack_bytes) != 0) {
    std::size_t usual = 0;
    pthread_attr_getstacksize(&attributes, &usual);
  }
  const sigset_t before = block_signals();  // in the worker, too, until it has a place
  auto told = std::make_unique<Start>(Start{worker, before});
  pthread_t handle;
  const int error = pthread_create(&handle, &attributes, worker_main, told.get());
  if (error == 0) static_cast<void>(told.release());
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  pthread_attr_destroy(&attributes);
  if (error != 0) {
    fail(
        "Thread creation failed: %s. Ask for fewer threads (OMP_NUM_THREADS) or smaller stacks "
        "(OMP_STACKSIZE)",
        std::strerror(error));
  }
}

Thread& enter_first_time() {
  {
    const Lock lock(locks.threads);  // several threads may be the first at once
    if (!graph::TaskArena::reserve()) fail("Out of address space for tasks (see ulimit -v)");
    if (any_entered) count_awake(1);
    any_entered = true;
  }
  Thread* self = new_record();
  self->at = {};
  pthread_setspecific(exit_key, self);
  static_cast<void>(leave_teams(*self, shared_icv(settings.icv)));
  self->at.team->outer = {};
  bind_first_thread(*self);
  this_thread = self;  // a handler of a signal sees it complete
  watch_first_stack();
  return *self;
}

void hire(Thread& self, unsigned count) {
  if (MYR_LIKELY(self.crew_count >= count)) return;
  if (self.crew_room <= count) {
    const unsigned room = 2 * (count + 1);
    void* crew = std::realloc(static_cast<void*>(self.crew), room * sizeof(Thread*));
    if (crew == nullptr) fail("Out of memory for a team of %u", count);
    self.crew = static_cast<Thread**>(crew);
    self.crew_room = room;
  }
  while (self.crew_count < count) {
    Thread* worker = nullptr;
    {
      const Lock lock(locks.threads);
      worker = idle_workers;
      if (worker != nullptr) idle_workers = worker->next;
    }
    if (worker == nullptr) worker = new_worker();
    worker->announced_size = 0;  // it has another number now
    self.crew[++self.crew_count] = worker;
  }
}

Thread* new_worker() {
  Thread* worker = new_record();
  worker->dock.store(0, sync::relaxed);
  worker->dock_seen = 0;
  worker->at = {};
  worker->is_started = false;
  return worker;
}

void end_idle_workers(Thread& self) {
  if (self.at.team->level != 0) return;
  give_crew_back(self);
  for (;;) {
    Thread* worker = nullptr;
    {
      const Lock lock(locks.threads);
      worker = idle_workers;
      if (worker != nullptr) idle_workers = worker->next;
    }
    if (worker == nullptr) return;
    leave_dock(*worker, nullptr, 0);
  }
}

void give_crew_back(Thread& self) {
  if (MYR_LIKELY(self.crew_count == 0)) return;
  const Lock lock(locks.threads);
  // The first of them will be the first to be taken again.
  for (unsigned i = self.crew_count; i > 0; --i) {
    self.crew[i]->next = idle_workers;
    idle_workers = self.crew[i];
  }
  self.crew_count = 0;
}

void look_at_stack(Thread& self) noexcept {
  const plat::StackBounds stack = plat::this_thread_stack();
  self.stack_low = stack.low;
  self.stack_half = static_cast<std::size_t>(stack.high - stack.low) / 2;
}

int thread_count() noexcept { return record_count.load(sync::relaxed); }

unsigned take_threads(unsigned size, unsigned limit) noexcept {
  unsigned used = threads_in_use.load(sync::relaxed);
  unsigned taken = 1;
  do {
    const unsigned left = used < limit ? limit - used + 1 : 1;
    taken = size < left ? size : left;
  } while (
      !threads_in_use.compare_exchange_weak(used, used + taken - 1, sync::relaxed, sync::relaxed));
  return taken;
}

void give_threads_back(unsigned size) noexcept {
  threads_in_use.fetch_sub(size - 1, sync::relaxed);
}

}  // namespace myr::omp
