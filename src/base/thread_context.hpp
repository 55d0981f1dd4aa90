// SPDX-License-Identifier: Apache-2.0
//
// ThreadContext: where a task of the user's program runs, and what it may ask for there: the calls
// of myr.h, which know no machine by name. Each machine has a class of its own.
//
// Threads: a context serves the thread that is on it, until the next set_current(). Mistakes of the
// program end it with a message.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "base/failure.hpp"
#include "base/serial_place.hpp"
#include "base/step_record.hpp"
#include "myr/frontend.h"

namespace myr::sync {
class EventHolder;
class Placement;
}  // namespace myr::sync

namespace myr::base {

// The closure of a part of a loop that may run in any process begins with this.
struct PartRange {
  std::size_t begin, end;
};

// What myr_touch() names.
struct TouchedRows {
  const void* first;
  std::size_t bytes;  // of each
  std::size_t count;
  std::size_t stride;
  unsigned mode;
};

// A loop for a machine that cuts it by itself: all that it uses is told by windows.
struct WholeLoop {
  const myr_loop* what;  // there until the last part has run
  std::size_t grain;     // iterations of a part
  // For the tasks that are parts.
  std::size_t closure_bytes;
  void (*make_closure)(void* closure, void* loop, std::size_t begin, std::size_t end);
  myr_body body;
  void* loop;
  // If parts may run in other processes, the closure of any, except for its PartRange; then nothing
  // makes closures, and the loop need not be there when it is submitted.
  std::span<std::byte> bytes = {};

  [[nodiscard]] std::size_t part_count() const noexcept {
    return (what->end - what->begin - 1) / grain + 1;
  }
};

// What the workers of an SPMD program do beside using memory: the calls of spmd.h.
class SpmdCalls {
 public:
  SpmdCalls() noexcept = default;
  SpmdCalls(const SpmdCalls&) = delete;
  SpmdCalls& operator=(const SpmdCalls&) = delete;

  virtual void send(unsigned worker, std::span<const myr_region> regions,
                    std::span<void* const> objects, const myr_site* site) = 0;
  virtual void receive(unsigned worker, std::span<myr_region> regions, std::span<void*> objects,
                       const myr_site* site) = 0;
  // Both at once, to and from the same worker.
  virtual void exchange(unsigned worker, std::span<const myr_region> regions,
                        std::span<void* const> objects, std::span<myr_region> their_regions,
                        std::span<void*> their_objects, const myr_site* site) = 0;
  virtual void barrier() = 0;
  [[nodiscard]] virtual unsigned rank_of(unsigned worker, const myr_site* site) const = 0;

 protected:
  ~SpmdCalls() = default;
};

// A machine's limit of how many workers run some tasks at the same time.
struct Arena {
  Arena() noexcept = default;
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;
  virtual ~Arena() = default;
};

class ThreadContext {
 public:
  ThreadContext() noexcept = default;
  ThreadContext(const ThreadContext&) = delete;
  ThreadContext& operator=(const ThreadContext&) = delete;

  // The calling thread's; nullptr: it runs no task.
  [[nodiscard]] static ThreadContext* current() noexcept {
    return __atomic_load_n(&current_, __ATOMIC_RELAXED);
  }

  // ---- tasks

  // Memory for a task; it is submitted before the next one is drafted.
  [[nodiscard]] virtual myr_draft new_draft(std::size_t closure_bytes,
                                            std::size_t access_count) = 0;
  // For a drafted task that is not submitted yet. A machine may leave it out of account.
  virtual void set_priority(const myr_draft&, int) {}
  // The same: its closure is more than its bytes, so no other process can run the task.
  virtual void keep_here(const myr_draft&) {}
  virtual void save(const myr_draft&, const myr_closure_kind*) {}
  virtual void submit(const myr_draft& draft, myr_body body, const myr_site* site) = 0;
  // The same for a task that may run as two (myr_submit_two_at()).
  virtual void submit_two(const myr_draft& draft, const myr_two_bodies& bodies,
                          std::size_t /*last_count*/, const myr_site* site) {
    submit(draft, bodies.whole, site);
  }
  // The same; the call runs no task. `last_count` 0: it is one in any case. By default, for
  // machines where main's spawns never do: those of a task may.
  virtual void submit_later(const myr_draft& draft, const myr_two_bodies& bodies,
                            std::size_t last_count, const myr_site* site) {
    if (last_count != 0) return submit_two(draft, bodies, last_count, site);
    submit(draft, bodies.whole, site);
  }
  virtual void spawn(myr_function function, const myr_access* accesses, std::size_t count,
                     const myr_site* site) = 0;
  virtual void wait(const myr_access* accesses, std::size_t count, const myr_site* site) = 0;
  // The same for so long at most. False: the running task must not use the memory yet. A machine
  // whose schedulers cannot take a wait back waits until it is true.
  [[nodiscard]] virtual bool wait_for(std::uint64_t /*timeout_ns*/, const myr_access* accesses,
                                      std::size_t count, const myr_site* site) {
    wait(accesses, count, site);
    return true;
  }
  virtual void wait_all() = 0;
  // What the running task spawns from now on, and what is spawned below, is run by at most
  // `workers` workers, until leave_arena() is given what this returns. A machine may leave it out
  // of account.
  [[nodiscard]] virtual std::shared_ptr<Arena> enter_arena(unsigned /*workers*/) { return {}; }
  virtual void leave_arena(std::shared_ptr<Arena> /*before*/) {}
  // Something that holds the running task open until any thread completes it (sync::Events).
  [[nodiscard]] virtual std::uint64_t new_event(const myr_site* site) = 0;
  // What the events of the running task hold open; nullptr: it has none.
  [[nodiscard]] virtual sync::EventHolder* event_holder() { return nullptr; }
  // One that another process of the job has made is completed, or has failed. False: there is no
  // such process.
  [[nodiscard]] virtual bool tell_event(std::uint64_t /*event*/, Exception& /*failure*/,
                                        const myr_site*) {
    return false;
  }
  // Where the running task is now. Cost: its depth. By default, as a thread of the program's own.
  [[nodiscard]] virtual SerialPlace serial_place() const { return {this, {}}; }
  // The running task failed.
  virtual void fail(Exception exception) = 0;
  // The first in the serial program of the failures that have reached the running task since the
  // last call.
  [[nodiscard]] virtual std::optional<Failure> take_failure() = 0;

  // ---- memory

  [[nodiscard]] virtual myr_region new_region(myr_region parent, int level_hint,
                                              const myr_site* site) = 0;
  virtual void free_region(myr_region region, const myr_site* site) = 0;
  // Its tasks need not run any more. Any live region, also one that the running task does not hold.
  virtual void cancel_region(myr_region region, const myr_site* site) = 0;
  // Does the running task use something in a cancelled region?
  [[nodiscard]] virtual bool is_cancelled() = 0;
  // Objects in it hold addresses of this process's memory: no other process can run its tasks.
  virtual void keep_region_here(myr_region, const myr_site*) {}
  // The region around a live one, as far as it is known here; else the root.
  [[nodiscard]] virtual myr_region region_around(myr_region) { return MYR_ROOT; }
  // `count` objects of a size, which may be 0. `call`: its name, for messages.
  virtual void allocate(std::size_t bytes, myr_region region, std::size_t count, void** objects,
                        const char* call, const myr_site* site) = 0;
  // An array whose dependences are kept by blocks of 2^block_shift bytes. A machine for which only
  // whole objects count makes an object of it.
  [[nodiscard]] virtual void* allocate_blocks(std::size_t bytes, unsigned /*block_shift*/,
                                              myr_region region, const myr_site* site) {
    void* object = nullptr;
    allocate(bytes, region, 1, &object, "myr_alloc_blocks", site);
    return object;
  }
  // REQUIRES: neither nullptr nor no bytes.
  [[nodiscard]] virtual void* reallocate(void* object, std::size_t bytes, myr_region region,
                                         const myr_site* site) = 0;
  // REQUIRES: not nullptr.
  virtual void free(void* object, const myr_site* site) = 0;

  // All processes of the machine are to know what a variable of the program holds now.
  virtual void publish(const void* /*first*/, std::size_t /*bytes*/, const myr_site*) {}

  // nullptr: the program is none of SPMD.
  [[nodiscard]] virtual SpmdCalls* spmd() { return nullptr; }

  // ---- what the task may know of the machine

  // The task computes for `cycles`; and the clock. Only simulated machines have one.
  virtual void work(std::uint64_t) {}
  // It goes through memory, as myr_touch() says. Only chips with caches want to know.
  virtual void touch(const TouchedRows&) {}
  [[nodiscard]] virtual std::uint64_t cycles() { return 0; }
  // The worker's index, and how many there are.
  [[nodiscard]] virtual unsigned worker_index() const = 0;
  [[nodiscard]] virtual unsigned worker_count() const = 0;

  // ---- for loops (runtime/loops.hpp)

  // Can a task that runs give work to others that have none? Then measured time passes, too.
  [[nodiscard]] virtual bool splits_loops() const { return false; }
  // submit(); there is a best worker to run it, others do if they have nothing else.
  virtual void submit_to(const sync::Placement&, const myr_draft& draft, myr_body body,
                         const myr_site* site) {
    submit(draft, body, site);
  }
  // submit() of a task that takes about as long as it takes to move one.
  virtual void submit_brief(const myr_draft& draft, myr_body body, const myr_site* site) {
    submit(draft, body, site);
  }
  // Among how many workers loops are shared out.
  [[nodiscard]] virtual unsigned loop_worker_count() const { return worker_count(); }
  // Is a loop cut into as many parts as these allow, however small? So a look at the parts of one
  // run shows where those of others end.
  [[nodiscard]] virtual bool cuts_below_grain() const { return false; }
  // May what is spawned now run in other processes, which can be given bytes only?
  [[nodiscard]] virtual bool spawns_for_others() { return false; }
  // Hands a loop over whole. What a part throws is for the running task. False: it is not taken.
  [[nodiscard]] virtual bool submit_whole(const WholeLoop& /*loop*/, const myr_site*) {
    return false;
  }
  // Does some worker want to be given a task? A hint.
  [[nodiscard]] virtual bool is_work_wanted() const { return false; }
  // One that does; the caller is the one to give it a task. Nobody: nothing.
  [[nodiscard]] virtual std::optional<unsigned> take_beggar() { return {}; }

  // ---- for repeated steps (runtime/api_recordings.cpp); a machine may run them as any others

  // A step begins, or ends, in the running task. `record`: what the machine knows of earlier runs;
  // nullptr: nothing.
  virtual void begin_step(std::unique_ptr<base::StepRecord>& /*record*/, const myr_site*) {}
  virtual void end_step(base::StepRecord* /*record*/, const myr_site*) {}
  // It is about to be deleted; no step is under way.
  virtual void free_record(base::StepRecord* /*record*/, const myr_site*) {}

  // ---- for the end of the program

  // Is main what runs here?
  [[nodiscard]] virtual bool runs_main() const = 0;
  // Is it another root than main?
  [[nodiscard]] virtual bool is_guest() const { return false; }
  // This is a forked child: the other threads of the machine are not here. What runs may go on, but
  // a task may not return.
  virtual void disown() {}
  // Main has returned, or has called exit(): none of its children may use its local variables that
  // are gone. Those above `kept` are still there; nullptr: none are.
  virtual void main_ends(const void* kept) = 0;

 protected:
  ~ThreadContext() = default;
  // The calling thread's, from now on.
  static void set_current(ThreadContext* context) noexcept {
    __atomic_store_n(&current_, context, __ATOMIC_RELAXED);
  }
  // Where the calling thread's is kept, so that others can take it away between two calls.
  [[nodiscard]] static ThreadContext** seat() noexcept { return &current_; }

 private:
  inline static constinit thread_local ThreadContext* current_ = nullptr;
};

}  // namespace myr::base
