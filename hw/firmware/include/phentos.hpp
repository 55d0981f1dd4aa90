// SPDX-License-Identifier: Apache-2.0
//
// Phentos, the light runtime of paper 4: tasks of one or two cache lines, dependences and the queue
// of ready tasks in hardware, no lock, no atomic instruction and no shared counter.
//
// Core 0 spawns; all cores run tasks. A task's name (SW ID) is the address of its slot, and only
// the core that holds the name touches the slot, so slots need no lock. A core that has run a task
// hands its slot back through a ring of its own, which core 0 reads; how far the ring is filled is
// also how many tasks the core has retired. It publishes that now and then, not after each task, so
// that the line does not bounce:
//   - after kPublishTasks of them, or
//   - when it has found nothing to do kPublishFailures times in a row.
//
// Order: a slot's words are written before the task is submitted, and read after its name was
// fetched; `published` is stored with release after the ring's words and the task's own writes, and
// loaded with acquire by core 0 before it uses the slots again or leaves wait_all().
//
// With NESTED a task may spawn tasks: those without dependences by a sure request, which is granted
// only if the hardware registers them whatever others wait for; all others run inside of it, at
// once. It waits for them, at the latest at its end, and runs other tasks meanwhile. No such wait
// can be for a task below on the same stack, since children begin after their parents: so nobody
// waits for ever.
//
// Limits: kSlots tasks between spawn and the hand-over of their slots. When none is free, or the
// hardware has no room, core 0 runs tasks until there is.
#pragma once

#include <myr/frontend.h>

#include "picos.h"
#include "platform.h"

#ifndef PHENTOS_TASK_LINES
#define PHENTOS_TASK_LINES 1 /* cache lines of a task: 1 (7 words) or 2 (15 words) */
#endif

#ifndef NESTED
#define NESTED 0 /* 1: tasks may spawn tasks, which makes a spawn a few cycles longer */
#endif

namespace phentos {

inline constexpr bool kNested = NESTED != 0;
inline constexpr bool kRanges = true;  // an access may be several dependences
inline constexpr unsigned kSlots = 256;
inline constexpr unsigned kPublishTasks = 16;
inline constexpr unsigned kPublishFailures = 4;
inline constexpr uint64_t kWaitPollCycles = 20;  // between two looks at the others' counts
inline constexpr unsigned kClosureWords = 8 * PHENTOS_TASK_LINES - 1;

struct alignas(CACHE_LINE) Slot {
  uint64_t closure[kClosureWords];
  myr_body body;
};
static_assert(sizeof(Slot) == CACHE_LINE * PHENTOS_TASK_LINES);

// The slots that a core has handed back, in order. As large as all slots, so it never overflows.
// Indices, not pointers: the compiler then knows that what is written to a slot is in `slots`, and
// keeps what it knows of other memory in registers; and 32 of them fit into a cache line.
struct alignas(CACHE_LINE) Returns {
  uint16_t slots[kSlots];
  alignas(CACHE_LINE) uint64_t published;  // written by the core, read by core 0
  alignas(CACHE_LINE) uint64_t filled;     // the core's own: published or not
  unsigned failures;                       // in a row
  bool requested;                          // a ready task, which is not fetched yet
};

struct alignas(CACHE_LINE) Spawner {
  uint64_t spawned;
  unsigned patience;         // spawns until core 0 looks for the task that it has asked for
  unsigned core;             // whose returned slots are being used
  uint64_t taken[CORES];     // of each core's returned slots
  uint64_t returned[CORES];  // as last seen
};

// What a core is inside of: a task that runs, in the stack of those that wait for their children.
struct Frame {
  uint64_t children;  // that were spawned and have not ended; counted by all cores
};
// A task that a task spawned. Its slot belongs to the core that spawned it.
struct alignas(CACHE_LINE) Child {
  Slot slot;
  Frame* parent;  // nullptr: the slot is free; written by who ran it, read by its core
};
inline constexpr unsigned kChildren = 32;  // of a core at a time; more run inside of their parents

inline Child children[CORES][kChildren];
inline __thread Frame* frame;  // of the task that the core runs; nullptr: none
inline Slot slots[kSlots];
inline Returns returns[CORES];
inline Spawner spawner;

inline void publish(Returns& own) {
  __atomic_store_n(&own.published, own.filled, __ATOMIC_RELEASE);
  own.failures = 0;
}

inline void help(Returns& own);

// Runs other tasks until the children of the running task have ended. Their writes are then seen.
inline void wait_children() {
  while (__atomic_load_n(&frame->children, __ATOMIC_ACQUIRE) != 0) help(returns[core_index()]);
}

// Runs a body as a task, to the end of its children.
inline void run_body(Slot* slot) {
  Frame own{0};
  Frame* const outer = frame;
  frame = &own;
  slot->body(slot->closure, nullptr);
  if constexpr (kNested) wait_children();
  frame = outer;
}

inline bool is_child(const Slot* slot) {
  return reinterpret_cast<uint64_t>(slot) - reinterpret_cast<uint64_t>(children) < sizeof children;
}

// Runs the task whose name was fetched. `again`: asks for another, which is then on its way while
// this one retires.
inline void run(Returns& own, uint64_t name, bool again) {
  const uint64_t id = picos_fetch_picos_id();
  Slot* const slot = reinterpret_cast<Slot*>(name);
  own.requested = false;
  run_body(slot);
  // While it waited for children, the core may have asked already.
  if (again && !own.requested) own.requested = picos_ready_task_request() == PICOS_FLAG_DONE;
  picos_retire_task(id);
  own.failures = 0;
  if (kNested && is_child(slot)) {
    Child* const child = reinterpret_cast<Child*>(slot);
    Frame* const parent = child->parent;
    __atomic_store_n(&child->parent, nullptr, __ATOMIC_RELEASE);
    __atomic_fetch_sub(&parent->children, 1, __ATOMIC_RELEASE);
    return;
  }
  own.slots[own.filled % kSlots] = static_cast<uint16_t>(slot - slots);
  own.filled += 1;
  if (own.filled - own.published >= kPublishTasks) publish(own);
}

// Runs a task if one is ready.
inline void help(Returns& own) {
  if (!own.requested) own.requested = picos_ready_task_request() == PICOS_FLAG_DONE;
  const uint64_t name = picos_fetch_sw_id();
  if (name != PICOS_NOTHING_TO_FETCH) {
    run(own, name, true);
  } else if (++own.failures == kPublishFailures && own.filled != own.published) {
    publish(own);
  }
}

// For each core, before the first task.
inline void start_core(unsigned core) {
  if (core != 0) return;
  for (unsigned i = 0; i < kSlots; ++i) {
    returns[0].slots[returns[0].filled++] = static_cast<uint16_t>(i);
  }
  returns[0].published = returns[0].filled;
}

// What all cores but 0 do, for ever.
[[noreturn]] inline void work(unsigned core) {
  for (;;) help(returns[core]);
}

// A free slot. Looks at the others' counts only when those known are used up.
inline Slot* take_slot() {
  for (;;) {
    for (unsigned tries = 0; tries < CORES; ++tries) {
      const unsigned core = spawner.core;
      if (spawner.taken[core] == spawner.returned[core]) {
        spawner.returned[core] = core == 0
                                     ? returns[0].filled
                                     : __atomic_load_n(&returns[core].published, __ATOMIC_ACQUIRE);
      }
      if (spawner.taken[core] != spawner.returned[core]) {
        return &slots[returns[core].slots[spawner.taken[core]++ % kSlots]];
      }
      spawner.core = core + 1 == CORES ? 0 : core + 1;
    }
    help(returns[0]);
  }
}

// Submits a task whose closure is in the slot, with so many accesses, which are so many
// dependences: for_each(f) calls f(address, direction, is_last) for each access. An address of 0 is
// no dependence, but counts.
template <class ForEach>
inline void submit(Slot* slot, myr_body body, unsigned count, uint64_t dependences,
                   const ForEach& for_each) {
  slot->body = body;
  while (picos_submission_request(3 + 3 * count) != PICOS_FLAG_DONE) help(returns[0]);
  if (count == 0) picos_publish_stores();
  picos_submit_three_packets(reinterpret_cast<uint64_t>(slot), dependences);
  for_each([](uint64_t address, uint64_t direction, bool is_last) {
    if (is_last) picos_publish_stores();
    picos_submit_three_packets(address, direction);
  });
  spawner.spawned += 1;
  // A task that core 0 has asked for, while it waited for room or for the end, must not wait until
  // it has spawned all; nor should those that it can still spawn for others wait for that task.
  if (returns[0].requested && spawner.patience-- == 0) {
    spawner.patience = CORES;
    const uint64_t name = picos_fetch_sw_id();
    if (name != PICOS_NOTHING_TO_FETCH) run(returns[0], name, false);
  }
}

// A slot for a task that the running task spawns.
inline Slot* take_child_slot() {
  static Slot spare[CORES];  // for tasks that run at once: filled and run without anything between
  const unsigned core = core_index();
  for (Child& child : children[core]) {
    if (__atomic_load_n(&child.parent, __ATOMIC_ACQUIRE) == nullptr) return &child.slot;
  }
  return &spare[core];
}

// Spawns a child if that is sure to be registered; otherwise runs it here and now, which keeps the
// order that dependences among children ask for.
inline void submit_child(Slot* slot, myr_body body, unsigned count) {
  slot->body = body;
  if (count == 0 && is_child(slot) &&
      picos_submission_request(3 | PICOS_REQUEST_SURE) == PICOS_FLAG_DONE) {
    reinterpret_cast<Child*>(slot)->parent = frame;
    __atomic_fetch_add(&frame->children, 1, __ATOMIC_RELAXED);
    picos_publish_stores();
    picos_submit_three_packets(reinterpret_cast<uint64_t>(slot), 0);
    return;
  }
  Slot copy = *slot;  // what it spawns itself may take the slot
  run_body(&copy);
}

inline bool all_retired() {
  uint64_t retired = returns[0].filled - kSlots;
  for (unsigned core = 1; core < CORES; ++core) {
    retired += __atomic_load_n(&returns[core].published, __ATOMIC_ACQUIRE);
  }
  return retired == spawner.spawned;
}

// Runs tasks until all are done.
inline void wait_all() {
  uint64_t looked = cycle_count() - kWaitPollCycles;
  for (;;) {
    help(returns[0]);
    if (returns[0].failures == 0 || cycle_count() - looked < kWaitPollCycles) continue;
    if (all_retired()) return;
    looked = cycle_count();
  }
}

}  // namespace phentos
