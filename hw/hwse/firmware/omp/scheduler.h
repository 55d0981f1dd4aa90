/* SPDX-License-Identifier: Apache-2.0
 *
 * What OpenMP's library needs of a scheduler: INIT, FETCH, END and SYNC, as paper 5 divides the
 * work, for loops, sections, single and tasks. software.c has it with locks, hwse.c with the
 * scheduling engine; gomp.c, tasks.c and depend.c are the same above both. One of them is linked.
 *
 * All threads of a team call the same for their work-shares, in the same order. Teams do not nest:
 * inside a parallel region another is run by its thread alone, which gomp.c does. */
#ifndef SCHEDULER_H
#define SCHEDULER_H

#include <stdbool.h>
#include <stddef.h>

#include "../runtime/platform.h"
#include "omp/gomp_calls.h"

enum schedule { /* as gcc's code numbers them */
                SCHEDULE_STATIC = GOMP_STATIC,
                SCHEDULE_DYNAMIC = GOMP_DYNAMIC,
                SCHEDULE_GUIDED = GOMP_GUIDED
};

/* From `start` to before `end`, in steps of `stride`, which is not 0. */
struct loop {
  enum schedule schedule;
  int start, end, stride;
  int chunk; /* iterations, at least 1 */
};

/* A task's body gets a copy of its argument, of so many bytes. */
typedef void task_body(void*);
enum { TASK_BYTES = 96 };

/* A task's descriptor, which lives until the task and its children have ended. */
struct task {
  task_body* body;
  struct task* parent;
  struct group* group;     /* tasks.c's: the innermost one that the task has opened or is in */
  struct access* accesses; /* depend.c's: those that the task waits for or holds; NULL while the
                              descriptor is free */
  unsigned waits;          /* depend.c's: for how many */
  unsigned pending;        /* software.c: 1 until it has ended, and its children that have not;
                              hwse.c: the address of the engine's counter of that */
  unsigned short depth;    /* tasks.c's: on how many waits of others it runs */
  bool counts;             /* hwse.c: the counter is in use; false while the descriptor is free */
  struct task* next;       /* software.c: in the queue or the heap */
  char argument[TASK_BYTES] __attribute__((aligned(8)));
};
/* All descriptors lie together, behind the stacks, where the engine's queues expect them. */
#define DESCRIPTORS __attribute__((section(".descriptors")))

/* That a core runs; NULL outside of a team. And what it runs in a team that is no task: */
extern __thread struct task* current_task;
extern struct task implicit_tasks[CORES_MAX];

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

/* INIT of a task: a descriptor, NULL if there is no room; then the current task has one more child,
 * which may be ready at once or is made so later. A descriptor that is not added is dropped. */
struct task* task_new(void);
void task_drop(struct task* task);
void task_add(struct task* task, bool ready);
void task_push(struct task* task);
/* FETCH: any task that is ready, NULL if there is none. */
struct task* task_pop(void);
/* END, and with that one pending child less for its parent. */
void task_end(struct task* task);
/* Whether the current task has children that have not ended. */
bool task_has_children(void);

/* Between two looks at what others change, so that looking does not slow them down. */
static inline void pause_briefly(void) {
  for (unsigned i = 0; i < 8; ++i) __asm__ volatile("" ::: "memory");
}

#endif
