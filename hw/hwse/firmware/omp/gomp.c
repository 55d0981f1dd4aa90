/* SPDX-License-Identifier: Apache-2.0
 *
 * What gcc's OpenMP code calls, for programs on the cluster: threads, teams, and the constructs in
 * terms of scheduler.h. A thread is a core. Core 0 runs main(); the others wait for teams.
 * What is missing here does not link: `schedule(runtime)` over unsigned variables, `ordered`,
 * `taskloop`, cancellation. Tasks with dependences wait for earlier ones and then run at once. */
#include <limits.h>
#include <stddef.h>

#include "../include/omp.h"
#include "scheduler.h"

int main(void);

/* The team that runs, and what. */
static struct {
  void (*body)(void*);
  void* argument;
  struct loop loop;  /* opened for all by the pragma `parallel for`, if it has a schedule */
  unsigned sections; /* likewise, if not 0 */
  unsigned size;
} team;
/* A core's is not 0 when it has to join. */
static unsigned called[CORES_MAX];
static unsigned next_size;
static enum schedule runtime_schedule;
static int runtime_chunk;
static lock_t critical, atomic;
static void* single_data;

/* What an inner region's work-share has left. */
struct inner {
  struct loop loop;
  unsigned section, sections;
};

static __thread struct {
  unsigned rank;
  unsigned size;  /* of its team, 0 outside */
  unsigned depth; /* of tasks that run while others wait */
  unsigned solo;  /* inner parallel regions, run by this thread alone */
  struct inner inner;
} self;

static void run_team_member(unsigned rank) {
  self.rank = rank;
  self.size = team.size;
  team_join(rank);
  if (team.loop.chunk != 0) loop_init(&team.loop);
  if (team.sections != 0) sections_init(team.sections);
  team.body(team.argument);
  sync();
  self.size = 0;
}

void cluster_start(unsigned core) {
  if (core == 0) {
    next_size = core_count();
    runtime_schedule = SCHEDULE_DYNAMIC;
    scheduler_start();
    end_program(main());
  }
  for (;;) {
    while (read_word((uintptr_t)&called[core]) == 0) {
    }
    called[core] = 0;
    run_team_member(core);
  }
}

static void run_parallel(void (*body)(void*), void* argument, unsigned size,
                         const struct loop* loop, unsigned sections) {
  if (self.size != 0) {
    const struct inner outer = self.inner;
    self.inner = (struct inner){*loop, 0, sections};
    self.solo += 1;
    body(argument);
    self.solo -= 1;
    self.inner = outer;
    return;
  }
  if (size == 0 || size > core_count()) size = next_size;
  team.body = body;
  team.argument = argument;
  team.loop = *loop;
  team.sections = sections;
  team.size = size;
  team_open(size);
  for (unsigned core = 1; core < size; ++core) write_word((uintptr_t)&called[core], 1);
  run_team_member(0);
}

static const struct loop kNoLoop;

void GOMP_parallel(void (*body)(void*), void* argument, unsigned size, unsigned flags) {
  (void)flags;
  run_parallel(body, argument, size, &kNoLoop, 0);
}

void GOMP_parallel_sections(void (*body)(void*), void* argument, unsigned size, unsigned count,
                            unsigned flags) {
  (void)flags;
  run_parallel(body, argument, size, &kNoLoop, count);
}

void GOMP_barrier(void) {
  if (self.size != 0 && self.solo == 0) sync();
}

/* Loops. A thread alone takes all at once. */
static bool fetch_chunk(long* start, long* end) {
  if (self.solo != 0) {
    struct loop* const loop = &self.inner.loop;
    const bool any = loop->stride > 0 ? loop->start < loop->end : loop->start > loop->end;
    *start = loop->start;
    *end = loop->end;
    loop->start = loop->end;
    return any;
  }
  return loop_fetch(start, end);
}

static struct loop make_loop(enum schedule schedule, long start, long end, long stride,
                             long chunk) {
  if (chunk <= 0) chunk = 1;
  return (struct loop){schedule, (int)start, (int)end, (int)stride, (int)chunk};
}

static bool start_loop(struct loop loop, long* from, long* to) {
  if (self.solo != 0) {
    self.inner.loop = loop;
  } else {
    loop_init(&loop);
  }
  return fetch_chunk(from, to);
}

/* `schedule(runtime)`; a static one without a chunk has a chunk for each thread. */
static struct loop make_runtime_loop(unsigned size, long start, long end, long stride) {
  long chunk = runtime_chunk;
  if (runtime_schedule == SCHEDULE_STATIC && chunk <= 0) {
    const long count = (end - start + stride - (stride > 0 ? 1 : -1)) / stride;
    chunk = (count + (long)size - 1) / (long)size;
  }
  return make_loop(runtime_schedule, start, end, stride, chunk);
}

/* The calls of a schedule: NAME with its chunk as a parameter. */
#define LOOP_CALLS(NAME, SCHEDULE)                                                               \
  bool GOMP_loop_##NAME##_start(long start, long end, long stride, long chunk, long* from,       \
                                long* to) {                                                      \
    return start_loop(make_loop(SCHEDULE, start, end, stride, chunk), from, to);                 \
  }                                                                                              \
  bool GOMP_loop_##NAME##_next(long* from, long* to) { return fetch_chunk(from, to); }           \
  void GOMP_parallel_loop_##NAME(void (*body)(void*), void* argument, unsigned size, long start, \
                                 long end, long stride, long chunk, unsigned flags) {            \
    const struct loop loop = make_loop(SCHEDULE, start, end, stride, chunk);                     \
    (void)flags;                                                                                 \
    run_parallel(body, argument, size, &loop, 0);                                                \
  }
LOOP_CALLS(static, SCHEDULE_STATIC)
LOOP_CALLS(dynamic, SCHEDULE_DYNAMIC)
LOOP_CALLS(nonmonotonic_dynamic, SCHEDULE_DYNAMIC)
LOOP_CALLS(guided, SCHEDULE_GUIDED)
LOOP_CALLS(nonmonotonic_guided, SCHEDULE_GUIDED)

#define RUNTIME_LOOP_CALLS(NAME)                                                                 \
  bool GOMP_loop_##NAME##_start(long start, long end, long stride, long* from, long* to) {       \
    return start_loop(make_runtime_loop(self.size, start, end, stride), from, to);               \
  }                                                                                              \
  bool GOMP_loop_##NAME##_next(long* from, long* to) { return fetch_chunk(from, to); }           \
  void GOMP_parallel_loop_##NAME(void (*body)(void*), void* argument, unsigned size, long start, \
                                 long end, long stride, unsigned flags) {                        \
    const struct loop loop = make_runtime_loop(next_size, start, end, stride);                   \
    (void)flags;                                                                                 \
    run_parallel(body, argument, size, &loop, 0);                                                \
  }
RUNTIME_LOOP_CALLS(runtime)
RUNTIME_LOOP_CALLS(nonmonotonic_runtime)
RUNTIME_LOOP_CALLS(maybe_nonmonotonic_runtime)

/* Loops over unsigned variables, as far as their bounds are those of an int. */
typedef unsigned long long wide;

static long narrowed(wide bound) {
  if (bound > INT_MAX) fail("a loop's bound is too large", (unsigned)bound);
  return (long)bound;
}

static bool fetch_wide_chunk(wide* from, wide* to) {
  long start, end;
  const bool any = fetch_chunk(&start, &end);
  *from = (wide)start;
  *to = (wide)end;
  return any;
}

static bool start_wide_loop(struct loop loop, wide* from, wide* to) {
  long start, end;
  const bool any = start_loop(loop, &start, &end);
  *from = (wide)start;
  *to = (wide)end;
  return any;
}

#define WIDE_LOOP_CALLS(NAME, SCHEDULE)                                                           \
  bool GOMP_loop_ull_##NAME##_start(bool up, wide start, wide end, wide stride, wide chunk,       \
                                    wide* from, wide* to) {                                       \
    (void)up;                                                                                     \
    return start_wide_loop(                                                                       \
        make_loop(SCHEDULE, narrowed(start), narrowed(end), (long)stride, narrowed(chunk)), from, \
        to);                                                                                      \
  }                                                                                               \
  bool GOMP_loop_ull_##NAME##_next(wide* from, wide* to) { return fetch_wide_chunk(from, to); }
WIDE_LOOP_CALLS(dynamic, SCHEDULE_DYNAMIC)
WIDE_LOOP_CALLS(nonmonotonic_dynamic, SCHEDULE_DYNAMIC)
WIDE_LOOP_CALLS(guided, SCHEDULE_GUIDED)
WIDE_LOOP_CALLS(nonmonotonic_guided, SCHEDULE_GUIDED)

void GOMP_loop_end_nowait(void) {
  if (self.solo == 0) share_end();
}
void GOMP_loop_end(void) {
  GOMP_loop_end_nowait();
  GOMP_barrier();
}

/* Sections. */
unsigned GOMP_sections_next(void) {
  if (self.solo == 0) return sections_fetch();
  return self.inner.section < self.inner.sections ? ++self.inner.section : 0;
}
unsigned GOMP_sections_start(unsigned count) {
  if (self.solo == 0) {
    sections_init(count);
  } else {
    self.inner.section = 0;
    self.inner.sections = count;
  }
  return GOMP_sections_next();
}
void GOMP_sections_end_nowait(void) { GOMP_loop_end_nowait(); }
void GOMP_sections_end(void) { GOMP_loop_end(); }

bool GOMP_single_start(void) { return self.solo != 0 || single_init(); }

/* `copyprivate`: the one that runs it gives the others what they copy, after all have come. */
void* GOMP_single_copy_start(void) {
  if (GOMP_single_start()) return NULL;
  GOMP_barrier();
  void* const data = (void*)read_word((uintptr_t)&single_data);
  return data;
}
void GOMP_single_copy_end(void* data) {
  write_word((uintptr_t)&single_data, (uintptr_t)data);
  GOMP_barrier();
}

/* Locks. */
void GOMP_critical_start(void) { lock_take(&critical); }
void GOMP_critical_end(void) { lock_give(&critical); }
void GOMP_critical_name_start(void** lock) { lock_take((lock_t*)lock); }
void GOMP_critical_name_end(void** lock) { lock_give((lock_t*)lock); }
void GOMP_atomic_start(void) { lock_take(&atomic); }
void GOMP_atomic_end(void) { lock_give(&atomic); }

/* Tasks. */
enum { TASK_FLAG_DEPEND = 8, ALIGNMENT = 8 };

static void run_now(task_body* body, const void* argument, void (*copy)(void*, void*),
                    unsigned bytes) {
  char room[bytes + ALIGNMENT] __attribute__((aligned(ALIGNMENT)));
  if (copy == NULL) {
    body((void*)argument);
    return;
  }
  copy(room, (void*)argument);
  body(room);
}

/* Tasks run on the stack of what waits. So that this stays small, tasks that many others wait below
 * run their children at once, and then have nothing to wait for. */
enum { DEPTH_MAX = 4 };

void run_task(task_body* body, void* argument) {
  enum { STACK_BYTES = 4096, LEFT_AT_LEAST = 512 }; /* as link.ld has it */
  const unsigned left = (unsigned)__builtin_frame_address(0) % STACK_BYTES;
  if (left < LEFT_AT_LEAST) fail("tasks fill the stack of core", core_index());
  self.depth += 1;
  body(argument);
  self.depth -= 1;
}

void GOMP_task(task_body* body, void* argument, void (*copy)(void*, void*), long bytes,
               long alignment, bool deferred, unsigned flags, void** dependences, int priority,
               void* detached) {
  (void)dependences, (void)priority;
  if (detached != NULL && (flags & 64) != 0) fail("a detached task", 0);
  if (alignment > ALIGNMENT) fail("a task's argument has alignment", (unsigned)alignment);
  if ((flags & TASK_FLAG_DEPEND) != 0) {
    task_wait();
    deferred = false;
  }
  if (deferred && self.size != 0 && self.depth < DEPTH_MAX && bytes <= TASK_BYTES &&
      task_init(body, argument, copy, (unsigned)bytes)) {
    return;
  }
  run_now(body, argument, copy, (unsigned)bytes);
}
void GOMP_taskwait(void) {
  if (self.size != 0) task_wait();
}
void GOMP_taskgroup_start(void) {}
void GOMP_taskgroup_end(void) { GOMP_taskwait(); }
void GOMP_taskyield(void) {}

/* What programs may ask. */
int omp_get_thread_num(void) { return self.solo != 0 ? 0 : (int)self.rank; }
int omp_get_num_threads(void) { return self.solo != 0 || self.size == 0 ? 1 : (int)self.size; }
int omp_get_max_threads(void) { return (int)next_size; }
int omp_get_num_procs(void) { return (int)core_count(); }
int omp_in_parallel(void) { return self.size != 0; }
void omp_set_num_threads(int threads) {
  if (threads < 1) fail("a team of threads", (unsigned)threads);
  next_size = (unsigned)threads < core_count() ? (unsigned)threads : core_count();
}
void omp_set_schedule(omp_sched_t schedule, int chunk) {
  runtime_schedule = (enum schedule)schedule;
  runtime_chunk = chunk;
}
