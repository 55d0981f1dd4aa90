// SPDX-License-Identifier: Apache-2.0
//
// Teams: threads that run a parallel region together. Every thread that opens regions keeps the
// workers that it had, so thread i of its next team is the same thread again; they sleep, or spin
// for a moment, at a word of their own until a region starts for them.
//
//   Thread --at--> Place {team, index, task, loop}      where it is now
//     crew: workers 1, 2, ... of its teams
//   Team: size, barrier, ring of worksharing records, Slot for each thread {ready tasks, counts}
//
// Memory: threads and teams are kept for reuse and never given back, so a thread that comes late
// may still look at them.
#pragma once

#include <cstddef>
#include <cstdint>

#include "omp/event.hpp"
#include "omp/observe.hpp"
#include "omp/task.hpp"
#include "omp/wait.hpp"
#include "omp/workshare.hpp"
#include "sync/atomic.hpp"

namespace myr::omp {

struct Doacross;
struct Team;

// What a thread is in a team.
struct Place {
  Team* team = nullptr;
  unsigned index = 0;
  std::uint32_t singles = 0;     // constructs met in this region
  std::uint32_t workshares = 0;  // the same
  std::uint32_t barriers = 0;    // the same
  Task* task = nullptr;          // that it runs
  // The last task that waits here and is tied to this thread: what runs meanwhile is below it.
  const Task* tied = nullptr;
  Doacross* doacross = nullptr;  // the loop with cross-iteration dependences that clang announced
  LoopPlace loop;
  [[no_unique_address]] ObservedLoop observed;
};

// Thread i of a team.
struct alignas(128) Slot {
  TaskQueue queue;
  // Written by this thread alone; read by those that want to know whether all tasks have ended
  // [omp.count].
  sync::Atomic<std::uint32_t> made{0};
  sync::Atomic<std::uint32_t> ended{0};
  Thread* thread = nullptr;
  Task implicit;
};

enum CancelKind : std::uint32_t { kParallel = 1, kLoop = 2, kSections = 4, kTaskgroup = 8 };

struct Team {
#ifdef MYR_MODEL
  static constexpr unsigned kRing = 2;  // so that few constructs use a record again
#else
  static constexpr unsigned kRing = 8;
#endif

  unsigned size = 1;
  unsigned capacity = 1;
  std::uint32_t level = 0;
  std::uint32_t active_level = 0;
  Place outer;  // of the master
  Thread* master = nullptr;
  sync::Plain<void (*)(void*)> body = nullptr;
  sync::Plain<void*> data = nullptr;
  Team* next_spare = nullptr;
  Group* group = nullptr;  // of the implicit tasks
  const Icv* icv = nullptr;
  unsigned bind = 0;
  unsigned outer_places_first = 0;  // of the master, outside of this team
  unsigned outer_places_count = 0;  // 0: as inside
  unsigned crew_at = 0;  // the worker behind which those of this team begin in the master's crew
  int team_number = 0;   // of the league
  int team_count = 1;
  bool is_crowded = false;  // more threads than processors
  bool has_loop = false;    // its first construct was prepared before the workers started
  // Its only construct hands out iterations one by one: a thread that comes when none is left has
  // nothing to do.
  bool may_recall = false;
  bool is_counted = false;  // against OMP_THREAD_LIMIT
  void* copied = nullptr;   // copyprivate in programs of clang; between two barriers
  [[no_unique_address]] ObservedCode code;

  // Written by all at its barriers: how many have come since the region began; once there are
  // tasks, also how many barriers are over [omp.barrier].
  alignas(64) sync::Atomic<std::uint32_t> arrived{0};
  alignas(64) sync::Atomic<std::uint32_t> epoch{0};
  sync::Atomic<std::uint32_t> cancelled{0};  // the region: a flag, read as a hint
  sync::Atomic<std::uint32_t> has_tasks{0};  // some were queued in this region [omp.tasks]
  alignas(64) sync::Atomic<std::uint32_t> singles{0};
  // Held to combine, where clang leaves that to a lock. A team's own, not the program's: a forked
  // child begins new teams.
  Mutex reducing;
  // How many workers have ended their part of the region [omp.part].
  alignas(64) sync::Atomic<std::uint32_t> parts_ended{0};
  // The region that goes on, 0 if none does; a worker that helps from its dock is counted, by
  // kHelper, and whether the master sleeps for them [omp.help].
  sync::Atomic<std::uint32_t> region{0};
  sync::Atomic<std::uint32_t> helpers{0};
  std::uint32_t region_count = 0;                // master
  sync::Atomic<std::uint32_t> ended_outside{0};  // tasks, by threads of no team [omp.count]
  sync::Atomic<std::uint32_t> order{0};          // see no_tasks_left() [omp.order]
  Event idle;                                    // any task, a barrier, the end of the region
  Event choosy;                                  // taskwait, end of a group, turns
  Workshare ring[kRing];
  Mutex ahead_lock;
  Workshare* ahead = nullptr;  // records outside of the ring; guarded by ahead_lock
  Slot* slots = nullptr;

  [[nodiscard]] bool is_cancelled() const noexcept {
    return MYR_UNLIKELY(cancelled.load(sync::relaxed) != 0);
  }
};

// What a program of clang asks of its next region or league, in calls before it; 0: nothing.
struct Asked {
  unsigned threads = 0;
  unsigned bind = 0;
  unsigned teams = 0;
  unsigned teams_threads = 0;
};

struct alignas(128) Thread {
  Place at;
  Patience in_team;  // waits at barriers and for tasks
  TaskPool pool;
  Steals steals;
  Ended ended;
  Team* spare_teams = nullptr;       // for its regions
  Team* spare_alone = nullptr;       // teams of one, for outside of all regions
  std::uint32_t part_of_region = 0;  // the last that it took part in
  Thread** crew = nullptr;           // workers 1.. of its teams; index 0 is not used
  unsigned crew_count = 0;
  unsigned crew_room = 0;
  unsigned crew_used = 0;  // by the regions that it has open
  int team_number = 0;     // teams on the host
  int team_count = 1;
  Asked asked;
  int number = 0;               // no other thread that is alive has the same
  Thread* next = nullptr;       // in a list of idle workers, or of records to use again
  unsigned place = 0;           // of OMP_PLACES, from 1; 0: not bound
  unsigned wanted_place = 0;    // where a region wants it
  unsigned announced_size = 0;  // of the team in which it last described itself
  unsigned places_first = 0;    // its part of the places
  unsigned places_count = 0;
  // The stack's low end, and the size of its lower half; 0: nobody has asked.
  const std::byte* stack_low = nullptr;
  std::size_t stack_half = 0;

  // Where it is told to start: kDockStep times the number of starts, plus flags [omp.dock].
  alignas(64) sync::Atomic<std::uint32_t> dock{0};
  sync::Plain<Team*> told_team = nullptr;
  sync::Plain<unsigned> told_index = 0;
  std::uint32_t dock_seen = 0;  // its own
  bool is_started = false;      // who has it in its crew
  Patience in_dock;
};
constexpr std::uint32_t kDockAsleep = 1;
constexpr std::uint32_t kDockHelp = 2;
constexpr std::uint32_t kDockRecall =
    4;  // the start may be taken back until the worker clears this
constexpr std::uint32_t kDockFlags = kDockAsleep | kDockHelp | kDockRecall;
constexpr std::uint32_t kDockStep = 8;

extern constinit thread_local Thread* this_thread;
[[nodiscard]] MYR_COLD Thread& enter_first_time();
// The calling thread; any thread of the program may call.
#ifdef MYR_MODEL
[[nodiscard]] Thread& self();
#else
[[nodiscard]] inline Thread& self() {
  Thread* thread = this_thread;
  return MYR_LIKELY(thread != nullptr) ? *thread : enter_first_time();
}
#endif

// How many threads a region gets that asks for `wanted` (0: it does not say).
[[nodiscard]] unsigned team_size_for(Thread& self, unsigned wanted);
struct Region {
  void (*body)(void*);
  void* data;
  unsigned size;
  unsigned bind = 0;
  Group* group = nullptr;
  const void* code = nullptr;  // whose line is the region's; null: that of the body
};
// Starts the workers of a region, and makes the caller its thread 0; it then calls the body.
Team& begin_region(Thread& self, const Region& region);
// Prepares nothing but the team, for a loop whose first record is set before workers start.
Team& prepare_region(Thread& self, const Region& region);
void start_workers(Thread& self, Team& team);
void end_region(Thread& self);

// Waits for all threads of the team and all its tasks. True: the region is cancelled.
bool barrier(Thread& self);
void cancel_region(Team& team);
// The next `single` of the calling thread: does it run the block?
[[nodiscard]] inline bool claim_single(Thread& self) noexcept {
  std::uint32_t mine = self.at.singles++;
  if (self.at.team->singles.load(sync::relaxed) != mine) return false;  // late: no locked access
  return self.at.team->singles.compare_exchange_strong(mine, mine + 1, sync::relaxed,
                                                       sync::relaxed);
}
// Cancels the innermost construct of a kind (CancelKind) around the caller, if OMP_CANCELLATION is
// set. False: it is not set.
bool cancel(Thread& self, std::uint32_t kind);
// Has the innermost construct of a kind been cancelled?
[[nodiscard]] bool is_cancelled(Thread& self, std::uint32_t kind);
// Tells the threads of the caller's team that there are tasks from now on; of those in their docks,
// as many as may find a processor.
MYR_COLD void announce_tasks(Thread& self);
// Have all tasks that were queued ended? Only certain while no thread runs anything else.
[[nodiscard]] bool no_tasks_left(Team& team) noexcept;

// Puts the thread outside of all regions, as the host runs a target region, and takes that back.
[[nodiscard]] Place leave_teams(Thread& self, const Icv* icv);
void return_to(Thread& self, const Place& place);

[[nodiscard]] inline Slot& slot_of(Thread& self) noexcept {
  return self.at.team->slots[self.at.index];
}
// Could no thread run a task beside its parent?
[[nodiscard]] inline bool is_alone(Thread& self) noexcept {
  return self.at.team->size == 1 && self.at.team->has_tasks.load(sync::relaxed) == 0;
}
// Is the caller in the lower half of its thread's stack? On another stack it is not. Cost:
// microseconds the first time.
#ifdef MYR_MODEL
[[nodiscard]] bool is_low_on_stack(Thread& self) noexcept;
#else
MYR_COLD void look_at_stack(Thread& self) noexcept;
[[nodiscard]] inline bool is_low_on_stack(Thread& self) noexcept {
  if (MYR_UNLIKELY(self.stack_half == 0)) look_at_stack(self);
  const auto here = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
  return here - reinterpret_cast<std::uintptr_t>(self.stack_low) < self.stack_half;
}
#endif
// Should a task of the running one rather be queued than run inside it?
[[nodiscard]] inline bool is_too_deep(Thread& self) noexcept {
  return self.at.task->depth != 0 && is_low_on_stack(self);
}
// Changes control variables of the running task.
template <class Change>
void change_icv(Change change) {
  Task& task = *self().at.task;
  Icv values = *task.icv;
  change(values);
  task.icv = shared_icv(values);
}

// Ends the process with a message, as libgomp words it.
[[noreturn]] MYR_COLD void fail(const char* format, ...) __attribute__((format(printf, 1, 2)));

// For ThreadSanitizer in the program, which does not see our atomics.
void note_release(void* place) noexcept;
void note_acquire(void* place) noexcept;
// A lock that the program sets.
inline void take(Mutex& mutex) noexcept {
  mutex.lock();
  note_acquire(&mutex);
}
[[nodiscard]] inline bool try_take(Mutex& mutex) noexcept {
  if (!mutex.try_lock()) return false;
  note_acquire(&mutex);
  return true;
}
inline void leave(Mutex& mutex) noexcept {
  note_release(&mutex);
  mutex.unlock();
}

}  // namespace myr::omp
