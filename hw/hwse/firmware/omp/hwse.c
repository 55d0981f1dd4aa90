/* SPDX-License-Identifier: Apache-2.0
 *
 * The scheduler with the scheduling engine: each primitive is one access to it or a few, and none
 * needs a lock. Tasks' descriptors are in the scratchpad; which are free, which tasks are ready and
 * how many children each has is in the engine, which knows them by their numbers. */
#include "../../include/hwse.h"

#include "scheduler.h"
#include "tasks.h"

#ifndef QUEUE_DEPTH
#define QUEUE_DEPTH 32 /* of the engine's queues */
#endif

/* Queues. No queue is ever full, as there are at most as many tasks as it has entries. */
enum { FREE, READY };
/* Counters: of each core's implicit task, of those that have ended before their children, and of
 * each descriptor, whose numbers begin at 1. */
enum { ORPHANS = CORES_MAX, COUNTERS_MAX = 128, TASKS_MAX = COUNTERS_MAX - ORPHANS - 1 };
enum { TASKS = QUEUE_DEPTH < TASKS_MAX ? QUEUE_DEPTH : TASKS_MAX };

static struct task tasks[TASKS + 1];
static unsigned team_size, team_context, team_number;

static __thread struct {
  unsigned team_number; /* that it has joined */
  /* The engine's guided loops have a stride of 1 or -1: others count their iterations. */
  bool scaled;
  int scale, base;
} self;

static unsigned engine_read(enum hwse_register reg, unsigned argument) {
  return read_word(ENGINE_BASE + HWSE_OFFSET(reg, argument));
}
static void engine_write(enum hwse_register reg, unsigned argument, unsigned word) {
  write_word(ENGINE_BASE + HWSE_OFFSET(reg, argument), word);
}

void scheduler_start(void) {
  for (unsigned i = 0; i < CORES_MAX; ++i) implicit_tasks[i].pending = i;
  for (unsigned i = 1; i <= TASKS; ++i) tasks[i].pending = ORPHANS + i;
  engine_write(HWSE_HEAP_START, FREE, 1);
  engine_write(HWSE_HEAP_END, FREE, TASKS + 1);
  engine_write(HWSE_HEAP_STEP, FREE, 1);
}

/* A team stays open for the next region that has as many threads. */
void team_open(unsigned size) {
  if (size == team_size) return;
  if (team_size != 0) engine_write(HWSE_TEAM_CLOSE, 0, team_context);
  team_context = engine_read(HWSE_TEAM_OPEN, size);
  if (team_context == 0) fail("the engine has no team for threads", size);
  team_size = size;
  team_number += 1;
}

void team_join(unsigned rank) {
  if (self.team_number == team_number) return;
  self.team_number = team_number;
  engine_write(HWSE_CONTEXT, 0, HWSE_CONTEXT_OF(team_context, rank));
}

/* Whether this thread came first and says what there is to share. */
static bool enter_share(void) {
  unsigned answer;
  do answer = engine_read(HWSE_SHARE_INIT, 0);
  while (answer == 0);
  return answer == 1;
}

static int iterations(const struct loop* loop) {
  const int up = loop->stride > 0;
  if (up ? loop->start >= loop->end : loop->start <= loop->end) return 0;
  return (loop->end - loop->start + loop->stride - (up ? 1 : -1)) / loop->stride;
}

void loop_init(const struct loop* loop) {
  const bool is_guided = loop->schedule == SCHEDULE_GUIDED;
  self.scaled = is_guided && loop->stride != 1 && loop->stride != -1;
  struct loop mine = *loop;
  if (self.scaled) {
    self.scale = loop->stride;
    self.base = loop->start;
    mine = (struct loop){SCHEDULE_GUIDED, 0, iterations(loop), 1, loop->chunk};
  }
  if (!enter_share()) return;
  engine_write(HWSE_LOOP_START, 0, (unsigned)mine.start);
  engine_write(HWSE_LOOP_END, 0, (unsigned)mine.end);
  const enum hwse_register open = is_guided                           ? HWSE_LOOP_GUIDED
                                  : mine.schedule == SCHEDULE_DYNAMIC ? HWSE_LOOP_DYNAMIC
                                                                      : HWSE_LOOP_STATIC;
  engine_write(open, 0, (unsigned)(mine.stride * mine.chunk));
}

void sections_init(unsigned count) {
  self.scaled = false;
  if (enter_share()) engine_write(HWSE_SECTIONS, 0, count);
}

bool single_init(void) {
  unsigned answer;
  do answer = engine_read(HWSE_SINGLE, 0);
  while (answer == 0);
  return answer == 1;
}

bool loop_fetch(long* start, long* end) {
  const int from = (int)engine_read(HWSE_SHARE_FETCH, 0);
  const int to = (int)engine_read(HWSE_CHUNK_END, 0);
  *start = self.scaled ? self.base + from * self.scale : from;
  *end = self.scaled ? self.base + to * self.scale : to;
  return from != to;
}

unsigned sections_fetch(void) { return engine_read(HWSE_SHARE_FETCH, 0); }

void share_end(void) { engine_write(HWSE_SHARE_LEAVE, 0, 0); }

static struct task* queue_pop(unsigned queue) {
  const unsigned number = engine_read(HWSE_QUEUE_POP, queue);
  return number == 0 ? NULL : &tasks[number];
}
static void queue_push(unsigned queue, struct task* task) {
  engine_write(HWSE_QUEUE_PUSH, queue, (unsigned)(task - tasks));
}

struct task* task_new(void) { return queue_pop(FREE); }
void task_drop(struct task* task) { queue_push(FREE, task); }

/* A task that makes none needs no counter. */
void task_add(struct task* task, bool ready) {
  struct task* const parent = task->parent;
  task->counts = false;
  if (parent->counts) {
    engine_read(HWSE_COUNT_UP, parent->pending);
  } else {
    engine_write(HWSE_COUNT, parent->pending, 2);
    parent->counts = true;
  }
  if (ready) task_push(task);
}

void task_push(struct task* task) { queue_push(READY, task); }
struct task* task_pop(void) { return queue_pop(READY); }

/* Whoever finds that all of a task has ended drops it. A task that leaves children behind is
 * counted before its parent can know of its end, so that some counter tells of every task. */
void task_end(struct task* task) {
  struct task* const parent = task->parent;
  if (task->counts && engine_read(HWSE_COUNT, task->pending) > 1) {
    engine_read(HWSE_COUNT_UP, ORPHANS);
    if (engine_read(HWSE_COUNT_DOWN, task->pending) == 0) {
      engine_read(HWSE_COUNT_DOWN, ORPHANS);
      task_drop(task);
    }
  } else {
    task_drop(task);
  }
  if (engine_read(HWSE_COUNT_DOWN, parent->pending) == 0) {
    engine_read(HWSE_COUNT_DOWN, ORPHANS);
    task_drop(parent);
  }
}

bool task_has_children(void) {
  return current_task->counts && engine_read(HWSE_COUNT, current_task->pending) > 1;
}

/* A thread comes when its own children have ended, so when all have come and nobody has left
 * children behind, no task is left, and none can make another. */
void sync(void) {
  task_wait();
  while (engine_read(HWSE_SYNC, 0) == 0) {
    if (!task_run()) pause_briefly();
  }
  while (engine_read(HWSE_COUNT, ORPHANS) != 0) {
    if (!task_run()) pause_briefly();
  }
}
