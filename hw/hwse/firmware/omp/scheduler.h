/* SPDX-License-Identifier: Apache-2.0
 *
 * What OpenMP's library needs of a scheduler: INIT, FETCH, END and SYNC, as paper 5 divides the
 * work, for loops, sections, single and tasks. software.c has it with locks, hwse.c with the
 * scheduling engine; gomp.c is the same above both. One of them is linked.
 *
 * All threads of a team call the same for their work-shares, in the same order. Teams do not nest:
 * inside a parallel region another is run by its thread alone, which gomp.c does. */
#ifndef SCHEDULER_H
#define SCHEDULER_H

#include <stdbool.h>
#include <stddef.h>

#include "../runtime/platform.h"

enum schedule { SCHEDULE_STATIC = 1, SCHEDULE_DYNAMIC, SCHEDULE_GUIDED };

/* From `start` to before `end`, in steps of `stride`, which is not 0. */
struct loop {
  enum schedule schedule;
  int start, end, stride;
  int chunk; /* iterations, at least 1 */
};

/* A task's body gets a copy of its argument, of so many bytes. */
typedef void task_body(void*);
enum { TASK_BYTES = 96 };

/* Before the first team, on core 0. */
void scheduler_start(void);
/* Core 0 opens a team when all have passed the last one's sync(); each thread joins. */
void team_open(unsigned size);
void team_join(unsigned rank);

/* INIT: the thread enters the team's next work-share. */
void loop_init(const struct loop* loop);
void sections_init(unsigned count);
/* INIT and END of `single`: whether this thread runs it. */
bool single_init(void);
/* FETCH: the thread's next chunk, false if nothing is left; the next section from 1, 0 if none. */
bool loop_fetch(long* start, long* end);
unsigned sections_fetch(void);
/* END of a loop or of sections, which does not wait for anybody. */
void share_end(void);

/* SYNC: waits until all threads of the team have come and all tasks are done; runs tasks. */
void sync(void);

/* INIT of a task. False: there is no room, and the caller runs it. */
bool task_init(task_body* body, const void* argument, void (*copy)(void*, void*), unsigned bytes);
/* FETCH, run and END of any task that is ready; false if there is none. */
bool task_run(void);
/* Waits until all tasks are done that the current one made, and those that these made; runs others
 * meanwhile. */
void task_wait(void);

/* Into a descriptor, which has room for whole words. gcc's arguments consist of such. */
static inline void copy_argument(void* to, const void* from, void (*copy)(void*, void*),
                                 unsigned bytes) {
  if (copy != 0) {
    copy(to, (void*)from);
    return;
  }
  for (unsigned i = 0; i < bytes; i += 4)
    write_word((uintptr_t)to + i, read_word((uintptr_t)from + i));
}

/* gomp.c's: runs a task's body on the stack of what waits. */
void run_task(task_body* body, void* argument);

/* Between two looks at what others change, so that looking does not slow them down. */
static inline void pause_briefly(void) {
  for (unsigned i = 0; i < 4; ++i) __asm__ volatile("nop; nop; nop; nop" ::: "memory");
}

#endif
