/* SPDX-License-Identifier: Apache-2.0
 *
 * The scheduler in software, the baseline that the engine is compared with. It is built as gcc's
 * library is: a work-share in memory that threads fetch from under its lock, a heap and a queue of
 * tasks under locks, tasks that know their parents. Its data is all in the scratchpad, and its
 * locks are test-and-set words. */
#include "scheduler.h"
#include "tasks.h"

/* Work-shares that a team may be in at a time, as threads run ahead. */
enum { SHARES = 4, TASKS = 128 };

struct share {
  lock_t lock;
  unsigned number;  /* from 1 in each region, 0: free */
  unsigned gone;    /* threads that have left */
  struct loop loop; /* `start` moves, unless it is static */
};

static unsigned team_size;
static struct share shares[SHARES];

/* Tasks and the barrier. */
static lock_t tasks_lock, heap_lock;
static struct task *first_ready, *last_ready, *first_free;
static unsigned unfinished;          /* tasks that are not done */
static unsigned arrived, generation; /* at the barrier */
DESCRIPTORS static struct task tasks[TASKS];

static __thread struct {
  unsigned rank;
  unsigned number;  /* of its work-share */
  int static_start; /* its next chunk of a static loop */
  struct share* share;
} self;

void scheduler_start(void) {
  for (unsigned i = 0; i < TASKS; ++i) {
    tasks[i].accesses = NULL;
    tasks[i].next = first_free;
    first_free = &tasks[i];
  }
  for (unsigned i = 0; i < CORES_MAX; ++i) implicit_tasks[i].pending = 1;
}

void team_open(unsigned size) { team_size = size; }

void team_join(unsigned rank) {
  self.rank = rank;
  self.number = 0;
}

/* Takes the lock of the thread's next work-share. Whether it came first. */
HOT static bool enter_share(void) {
  self.number += 1;
  struct share* const share = &shares[self.number % SHARES];
  for (;;) {
    lock_take(&share->lock);
    if (share->number == 0 || share->number == self.number) break;
    lock_give(&share->lock);
    pause_briefly();
  }
  self.share = share;
  if (share->number != 0) return false;
  share->number = self.number;
  share->gone = 0;
  return true;
}

HOT void loop_init(const struct loop* loop) {
  const bool first = enter_share();
  struct share* const share = self.share;
  if (first) {
    share->loop = *loop;
    const bool empty = loop->stride > 0 ? loop->start > loop->end : loop->start < loop->end;
    if (empty) share->loop.end = loop->start;
  }
  lock_give(&share->lock);
  self.static_start = loop->start + (int)self.rank * loop->chunk * loop->stride;
}

HOT void sections_init(unsigned count) {
  loop_init(&(struct loop){SCHEDULE_DYNAMIC, 1, (int)count + 1, 1, 1});
}

HOT static void leave_share(void) {
  struct share* const share = self.share;
  share->gone += 1;
  if (share->gone == team_size) share->number = 0;
  lock_give(&share->lock);
}

HOT bool single_init(void) {
  const bool first = enter_share();
  leave_share();
  return first;
}

HOT void share_end(void) {
  lock_take(&self.share->lock);
  leave_share();
}

HOT static bool fetch_static(const struct loop* loop, long* start, long* end) {
  const int from = self.static_start, chunk = loop->chunk * loop->stride;
  if (loop->stride > 0 ? from >= loop->end : from <= loop->end) return false;
  const int left = loop->end - from;
  *start = from;
  *end = from + (loop->stride > 0 ? (chunk > left ? left : chunk) : chunk < left ? left : chunk);
  self.static_start = from + chunk * (int)team_size;
  return true;
}

HOT bool loop_fetch(long* start, long* end) {
  struct share* const share = self.share;
  struct loop* const loop = &share->loop;
  if (loop->schedule == SCHEDULE_STATIC) return fetch_static(loop, start, end);
  lock_take(&share->lock);
  const int from = loop->start, left = loop->end - from, stride = loop->stride;
  if (left == 0) {
    lock_give(&share->lock);
    return false;
  }
  int count = loop->chunk;
  if (loop->schedule == SCHEDULE_GUIDED) {
    const int iterations = (left + stride - (stride > 0 ? 1 : -1)) / stride;
    const int part = (iterations + (int)team_size - 1) / (int)team_size;
    if (part > count) count = part;
  }
  int chunk = count * stride;
  if (stride > 0 ? chunk > left : chunk < left) chunk = left;
  loop->start = from + chunk;
  lock_give(&share->lock);
  *start = from;
  *end = from + chunk;
  return true;
}

HOT unsigned sections_fetch(void) {
  long start, end;
  return loop_fetch(&start, &end) ? (unsigned)start : 0;
}

HOT struct task* task_new(void) {
  lock_take(&heap_lock);
  struct task* const task = first_free;
  if (task != NULL) first_free = task->next;
  lock_give(&heap_lock);
  return task;
}

HOT void task_drop(struct task* task) {
  lock_take(&heap_lock);
  task->next = first_free;
  first_free = task;
  lock_give(&heap_lock);
}

/* With the lock. */
static void append(struct task* task) {
  task->next = NULL;
  if (first_ready == NULL) {
    first_ready = task;
  } else {
    last_ready->next = task;
  }
  last_ready = task;
}

HOT void task_add(struct task* task, bool ready) {
  task->pending = 1;
  lock_take(&tasks_lock);
  task->parent->pending += 1;
  unfinished += 1;
  if (ready) append(task);
  lock_give(&tasks_lock);
}

HOT void task_push(struct task* task) {
  lock_take(&tasks_lock);
  append(task);
  lock_give(&tasks_lock);
}

/* With the lock: the threads at the barrier may go on when all have come and no task is left. */
static void open_barrier(void) {
  if (arrived != team_size || unfinished != 0) return;
  arrived = 0;
  generation += 1;
}

HOT struct task* task_pop(void) {
  if (read_word((uintptr_t)&first_ready) == 0) return NULL;
  lock_take(&tasks_lock);
  struct task* const task = first_ready;
  if (task != NULL) first_ready = task->next;
  lock_give(&tasks_lock);
  return task;
}

/* A parent that has ended before its children goes with the last of them. */
HOT void task_end(struct task* task) {
  struct task* const parent = task->parent;
  lock_take(&tasks_lock);
  unfinished -= 1;
  open_barrier();
  const bool last = --parent->pending == 0;
  const bool alone = --task->pending == 0;
  lock_give(&tasks_lock);
  if (last) task_drop(parent);
  if (alone) task_drop(task);
}

HOT bool task_has_children(void) { return read_word((uintptr_t)&current_task->pending) > 1; }

HOT_CALL void sync(void) {
  lock_take(&tasks_lock);
  const unsigned mine = generation;
  arrived += 1;
  open_barrier();
  lock_give(&tasks_lock);
  while (read_word((uintptr_t)&generation) == mine) {
    if (!task_run()) pause_briefly();
  }
}
