/* SPDX-License-Identifier: Apache-2.0
 *
 * The scheduler with the scheduling engine: each primitive is one access to it or a few, and none
 * needs a lock. Tasks' descriptors are in the scratchpad; which are free, which tasks are ready and
 * how many children each has is in the engine, whose queues hold their addresses. */
#include "../../include/hwse.h"

#include "scheduler.h"
#include "tasks.h"

#ifndef QUEUE_DEPTH
#define QUEUE_DEPTH 32 /* of the engine's queues */
#endif

/* Queues. No queue is ever full, as there are at most as many tasks as it has entries. */
enum { FREE, READY };
/* Counters: of each core's implicit task, of those that have ended before their children, and of
 * each descriptor. */
enum { ORPHANS = CORES_MAX, COUNTERS_MAX = 128, TASKS_MAX = COUNTERS_MAX - ORPHANS - 1 };
enum { TASKS = QUEUE_DEPTH < TASKS_MAX ? QUEUE_DEPTH : TASKS_MAX };

DESCRIPTORS static struct task tasks[TASKS];
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

/* The register of a counter, from which those that count up and down are as far for all. */
static unsigned counter(unsigned number) { return ENGINE_BASE + HWSE_OFFSET(HWSE_COUNT, number); }
static unsigned pending_count(const struct task* task) { return read_word(task->pending); }
static void count_up(const struct task* task) {
  read_word(task->pending + HWSE_OFFSET(HWSE_COUNT_UP - HWSE_COUNT, 0));
}
static unsigned count_down(const struct task* task) {
  return read_word(task->pending + HWSE_OFFSET(HWSE_COUNT_DOWN - HWSE_COUNT, 0));
}

void scheduler_start(void) {
  for (unsigned i = 0; i < CORES_MAX; ++i) implicit_tasks[i].pending = counter(i);
  for (unsigned i = 0; i < TASKS; ++i) {
    tasks[i].pending = counter(ORPHANS + 1 + i);
    tasks[i].accesses = NULL;
    tasks[i].counts = false;
  }
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
  engine_write(HWSE_CONTEXT, 0, HWSE_CONTEXT_OF(team_context, rank));
}

/* Whether this thread came first and says what there is to share. */
static bool enter_share(void) {
  unsigned answer;
  do answer = engine_read(HWSE_SHARE_INIT, 0);
  while (answer == 0);
  return answer == 1;
}

RARE static int iterations(const struct loop* loop) {
  const int up = loop->stride > 0;
  if (up ? loop->start >= loop->end : loop->start <= loop->end) return 0;
  return (loop->end - loop->start + loop->stride - (up ? 1 : -1)) / loop->stride;
}

static void open_loop(enum hwse_register schedule, int start, int end, int step) {
  engine_write(HWSE_LOOP_START, 0, (unsigned)start);
  engine_write(HWSE_LOOP_END, 0, (unsigned)end);
  engine_write(schedule, 0, (unsigned)step);
}

RARE static void init_guided_loop(const struct loop* loop) {
  self.scaled = loop->stride != 1 && loop->stride != -1;
  self.scale = loop->stride;
  self.base = loop->start;
  if (!enter_share()) return;
  if (self.scaled) {
    open_loop(HWSE_LOOP_GUIDED, 0, iterations(loop), loop->chunk);
  } else {
    open_loop(HWSE_LOOP_GUIDED, loop->start, loop->end, loop->stride * loop->chunk);
  }
}

HOT void loop_init(const struct loop* loop) {
  if (loop->schedule == SCHEDULE_GUIDED) {
    init_guided_loop(loop);
    return;
  }
  self.scaled = false;
  if (!enter_share()) return;
  const bool is_static = loop->schedule == SCHEDULE_STATIC;
  open_loop(is_static ? HWSE_LOOP_STATIC : HWSE_LOOP_DYNAMIC, loop->start, loop->end,
            loop->stride * loop->chunk);
}

HOT void sections_init(unsigned count) {
  if (enter_share()) engine_write(HWSE_SECTIONS, 0, count);
}

HOT bool single_init(void) {
  unsigned answer;
  do answer = engine_read(HWSE_SINGLE, 0);
  while (answer == 0);
  return answer == 1;
}

RARE static void scale_chunk(long* start, long* end) {
  *start = self.base + *start * self.scale;
  *end = self.base + *end * self.scale;
}

HOT bool loop_fetch(long* start, long* end) {
  const int from = (int)engine_read(HWSE_SHARE_FETCH, 0);
  const int to = (int)engine_read(HWSE_CHUNK_END, 0);
  *start = from;
  *end = to;
  if (self.scaled) scale_chunk(start, end);
  return from != to;
}

HOT unsigned sections_fetch(void) { return engine_read(HWSE_SHARE_FETCH, 0); }

HOT void share_end(void) { engine_write(HWSE_SHARE_LEAVE, 0, 0); }

HOT struct task* task_new(void) { return (struct task*)engine_read(HWSE_QUEUE_POP, FREE); }
HOT void task_drop(struct task* task) { engine_write(HWSE_QUEUE_PUSH, FREE, (uintptr_t)task); }

/* A task that makes none needs no counter. */
RARE static void begin_to_count(struct task* parent) {
  write_word(parent->pending, 2);
  parent->counts = true;
}

HOT void task_add(struct task* task, bool ready) {
  struct task* const parent = task->parent;
  if (parent->counts) {
    count_up(parent);
  } else {
    begin_to_count(parent);
  }
  if (ready) task_push(task);
}

HOT void task_push(struct task* task) { engine_write(HWSE_QUEUE_PUSH, READY, (uintptr_t)task); }
HOT struct task* task_pop(void) { return (struct task*)engine_read(HWSE_QUEUE_POP, READY); }

/* A task that others have as their parent, and all of it has ended. */
RARE static void drop_parent(struct task* task) {
  task->counts = false;
  task_drop(task);
}

RARE static void drop_orphan_maker(struct task* task) {
  engine_read(HWSE_COUNT_DOWN, ORPHANS);
  drop_parent(task);
}

/* A task that leaves children behind is counted before its parent can know of its end, so that some
 * counter tells of every task. */
RARE static void end_parent(struct task* task) {
  if (pending_count(task) > 1) {
    engine_read(HWSE_COUNT_UP, ORPHANS);
    if (count_down(task) == 0) drop_orphan_maker(task);
  } else {
    drop_parent(task);
  }
}

/* The core that finds that all of a task has ended drops it. */
HOT void task_end(struct task* task) {
  struct task* const parent = task->parent;
  if (task->counts) {
    end_parent(task);
  } else {
    task_drop(task);
  }
  if (count_down(parent) == 0) drop_orphan_maker(parent);
}

HOT bool task_has_children(void) { return current_task->counts && pending_count(current_task) > 1; }

/* A thread comes when its own children have ended, so when all have come and nobody has left
 * children behind, no task is left, and none can make another. */
HOT_CALL void sync(void) {
  task_wait();
  while (engine_read(HWSE_SYNC, 0) == 0) {
    if (!task_run()) pause_briefly();
  }
  while (engine_read(HWSE_COUNT, ORPHANS) != 0) {
    if (!task_run()) pause_briefly();
  }
}
