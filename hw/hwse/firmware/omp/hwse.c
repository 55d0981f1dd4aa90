/* SPDX-License-Identifier: Apache-2.0
 *
 * The scheduler with the scheduling engine: each primitive is one access to it or a few, and none
 * needs a lock. Tasks' descriptors are in the scratchpad; which are free, which tasks are ready and
 * how many children each has is in the engine. */
#include "../../include/hwse.h"

#include "scheduler.h"

#ifndef QUEUE_DEPTH
#define QUEUE_DEPTH 32 /* of the engine's queues */
#endif

/* Queues. No queue is ever full, as there are at most as many tasks as it has entries. */
enum { READY, FREE };
/* A counter for each core's implicit task, and one for each descriptor. */
enum { COUNTERS = QUEUE_DEPTH <= 32 ? 64 : 128, TASKS_MAX = COUNTERS - CORES_MAX };
enum { TASKS = QUEUE_DEPTH < TASKS_MAX ? QUEUE_DEPTH : TASKS_MAX };

struct task {
  task_body* body;
  struct task* parent;
  unsigned counter; /* 1 until it has run, and its pending children, once it has had one */
  bool counts;
  char argument[TASK_BYTES] __attribute__((aligned(8)));
};

static struct task tasks[TASKS];
static struct task implicit[CORES_MAX];
static unsigned team_size, team_context, team_number;

static __thread struct {
  unsigned team_number; /* that it has joined */
  /* The engine's guided loops have a stride of 1 or -1: others count their iterations. */
  bool scaled;
  int scale, base;
  struct task* task;
} self;

static unsigned engine_read(enum hwse_register reg, unsigned argument) {
  return read_word(ENGINE_BASE + HWSE_OFFSET(reg, argument));
}
static void engine_write(enum hwse_register reg, unsigned argument, unsigned word) {
  write_word(ENGINE_BASE + HWSE_OFFSET(reg, argument), word);
}

void scheduler_start(void) {
  for (unsigned i = 0; i < CORES_MAX; ++i) implicit[i].counter = i;
  for (unsigned i = 0; i < TASKS; ++i) tasks[i].counter = CORES_MAX + i;
  engine_write(HWSE_HEAP_START, FREE, (uintptr_t)tasks);
  engine_write(HWSE_HEAP_END, FREE, (uintptr_t)(tasks + TASKS));
  engine_write(HWSE_HEAP_STEP, FREE, sizeof(struct task));
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
  self.task = &implicit[rank];
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

bool task_init(task_body* body, const void* argument, void (*copy)(void*, void*), unsigned bytes) {
  struct task* const task = (struct task*)engine_read(HWSE_QUEUE_POP, FREE);
  if (task == NULL) return false;
  struct task* const parent = self.task;
  task->body = body;
  task->parent = parent;
  task->counts = false;
  copy_argument(task->argument, argument, copy, bytes);
  if (parent->counts) {
    engine_read(HWSE_COUNT_UP, parent->counter);
  } else {
    engine_write(HWSE_COUNT, parent->counter, 2);
    parent->counts = true;
  }
  engine_write(HWSE_QUEUE_PUSH, READY, (uintptr_t)task);
  return true;
}

/* The end of a task, and of those above it that waited for nothing else. */
static void finish(struct task* task) {
  if (task->counts && engine_read(HWSE_COUNT_DOWN, task->counter) != 0) return;
  do {
    struct task* const parent = task->parent;
    engine_write(HWSE_QUEUE_PUSH, FREE, (uintptr_t)task);
    task = parent;
  } while (engine_read(HWSE_COUNT_DOWN, task->counter) == 0);
}

bool task_run(void) {
  struct task* const task = (struct task*)engine_read(HWSE_QUEUE_POP, READY);
  if (task == NULL) return false;
  struct task* const outer = self.task;
  self.task = task;
  run_task(task->body, task->argument);
  self.task = outer;
  finish(task);
  return true;
}

void task_wait(void) {
  if (!self.task->counts) return;
  while (engine_read(HWSE_COUNT, self.task->counter) > 1) {
    if (!task_run()) pause_briefly();
  }
}

/* A thread comes only when its own tasks are done, so all are done when all have come. */
void sync(void) {
  task_wait();
  while (engine_read(HWSE_SYNC, 0) == 0) {
    if (!task_run()) pause_briefly();
  }
}
