/* SPDX-License-Identifier: Apache-2.0
 *
 * What gcc's OpenMP code calls, for programs on the cluster: threads, teams, and the constructs in
 * terms of scheduler.h and tasks.h. A thread is a core. Core 0 runs main(); the others wait for
 * teams. What is missing here does not link: `schedule(runtime)` over unsigned variables,
 * cancellation, tasks' reductions, `ordered` with dependences. */
#include <limits.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "../include/omp.h"
#include "omp/gomp_calls.h"
#include "scheduler.h"
#include "tasks.h"

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
  unsigned size; /* of its team, 0 outside */
  unsigned solo; /* inner parallel regions, run by this thread alone */
  struct inner inner;
  int chunk_start, chunk_end; /* of an ordered loop */
  bool has_chunk;
} self;

static void run_team_member(unsigned rank) {
  self.rank = rank;
  self.size = team.size;
  current_task = &implicit_tasks[rank];
  team_join(rank);
  if (team.loop.chunk != 0) loop_init(&team.loop);
  if (team.sections != 0) sections_init(team.sections);
  team.body(team.argument);
  sync();
  self.size = 0;
  current_task = NULL;
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
    struct group tasks; /* of the inner region, which ends when they have */
    self.inner = (struct inner){*loop, 0, sections};
    self.solo += 1;
    group_open(&tasks);
    body(argument);
    group_close(&tasks);
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

HOT void GOMP_barrier(void) {
  if (self.solo != 0) {
    group_wait(current_task->group);
  } else if (self.size != 0) {
    sync();
  }
}

/* Loops. A thread alone takes all at once. */
RARE static bool fetch_inner_chunk(long* start, long* end) {
  struct loop* const loop = &self.inner.loop;
  const bool any = loop->stride > 0 ? loop->start < loop->end : loop->start > loop->end;
  *start = loop->start;
  *end = loop->end;
  loop->start = loop->end;
  return any;
}

HOT_CALL static bool fetch_chunk(long* start, long* end) {
  return self.solo != 0 ? fetch_inner_chunk(start, end) : loop_fetch(start, end);
}

/* A static loop without a chunk has a chunk for each thread. */
RARE static long static_chunk(long start, long end, long stride) {
  const long size = (long)(self.size != 0 ? self.size : next_size);
  const long count = (end - start + stride - (stride > 0 ? 1 : -1)) / stride;
  return (count + size - 1) / size;
}

static struct loop make_loop(enum schedule schedule, long start, long end, long stride,
                             long chunk) {
  if (chunk <= 0 && schedule == SCHEDULE_STATIC) chunk = static_chunk(start, end, stride);
  if (chunk <= 0) chunk = 1;
  return (struct loop){schedule, (int)start, (int)end, (int)stride, (int)chunk};
}

HOT_CALL static bool start_loop(long start, long end, long stride, long chunk, long* from, long* to,
                                enum schedule schedule) {
  const struct loop loop = make_loop(schedule, start, end, stride, chunk);
  if (self.solo != 0) {
    self.inner.loop = loop;
  } else {
    loop_init(&loop);
  }
  return fetch_chunk(from, to);
}

/* The calls of a schedule: NAME with its chunk as a parameter. */
#define LOOP_CALLS(NAME, SCHEDULE)                                                               \
  HOT bool GOMP_loop_##NAME##_start(long start, long end, long stride, long chunk, long* from,   \
                                    long* to) {                                                  \
    return start_loop(start, end, stride, chunk, from, to, SCHEDULE);                            \
  }                                                                                              \
  HOT bool GOMP_loop_##NAME##_next(long* from, long* to) { return fetch_chunk(from, to); }       \
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

/* `schedule(runtime)`. */
#define RUNTIME_LOOP_CALLS(NAME)                                                                 \
  bool GOMP_loop_##NAME##_start(long start, long end, long stride, long* from, long* to) {       \
    return start_loop(start, end, stride, runtime_chunk, from, to, runtime_schedule);            \
  }                                                                                              \
  bool GOMP_loop_##NAME##_next(long* from, long* to) { return fetch_chunk(from, to); }           \
  void GOMP_parallel_loop_##NAME(void (*body)(void*), void* argument, unsigned size, long start, \
                                 long end, long stride, unsigned flags) {                        \
    const struct loop loop = make_loop(runtime_schedule, start, end, stride, runtime_chunk);     \
    (void)flags;                                                                                 \
    run_parallel(body, argument, size, &loop, 0);                                                \
  }
RUNTIME_LOOP_CALLS(runtime)
RUNTIME_LOOP_CALLS(nonmonotonic_runtime)
RUNTIME_LOOP_CALLS(maybe_nonmonotonic_runtime)

/* Ordered loops: the thread with the oldest chunk that is not over may enter the ordered regions of
 * its iterations. All come together before such a loop, as there is one turn for all. */
static int turn; /* where that chunk begins */

void GOMP_ordered_start(void) {
  while (self.solo == 0 && (int)read_word((uintptr_t)&turn) != self.chunk_start) pause_briefly();
}
void GOMP_ordered_end(void) {}

static bool fetch_ordered_chunk(long* from, long* to) {
  if (self.solo != 0) return fetch_chunk(from, to);
  if (self.has_chunk) {
    GOMP_ordered_start();
    write_word((uintptr_t)&turn, (unsigned)self.chunk_end);
  }
  self.has_chunk = loop_fetch(from, to);
  self.chunk_start = (int)*from;
  self.chunk_end = (int)*to;
  return self.has_chunk;
}

static bool start_ordered_loop(struct loop loop, long* from, long* to) {
  self.has_chunk = false;
  if (self.solo == 0) {
    sync();
    if (self.rank == 0) write_word((uintptr_t)&turn, (unsigned)loop.start);
    sync();
    loop_init(&loop);
  } else {
    self.inner.loop = loop;
  }
  return fetch_ordered_chunk(from, to);
}

#define ORDERED_LOOP_CALLS(NAME, SCHEDULE)                                                         \
  bool GOMP_loop_ordered_##NAME##_start(long start, long end, long stride, long chunk, long* from, \
                                        long* to) {                                                \
    return start_ordered_loop(make_loop(SCHEDULE, start, end, stride, chunk), from, to);           \
  }                                                                                                \
  bool GOMP_loop_ordered_##NAME##_next(long* from, long* to) {                                     \
    return fetch_ordered_chunk(from, to);                                                          \
  }
ORDERED_LOOP_CALLS(static, SCHEDULE_STATIC)
ORDERED_LOOP_CALLS(dynamic, SCHEDULE_DYNAMIC)
ORDERED_LOOP_CALLS(guided, SCHEDULE_GUIDED)

/* Loops over unsigned variables, as far as their bounds are those of an int. */
static long narrowed(gomp_ull bound) {
  if (bound > INT_MAX) fail("a loop's bound is too large", (unsigned)bound);
  return (long)bound;
}

HOT_CALL static bool fetch_wide_chunk(gomp_ull* from, gomp_ull* to) {
  long start, end;
  const bool any = fetch_chunk(&start, &end);
  *from = (gomp_ull)start;
  *to = (gomp_ull)end;
  return any;
}

HOT_CALL static bool start_wide_loop(gomp_ull first, gomp_ull last, gomp_ull stride, gomp_ull chunk,
                                     gomp_ull* from, gomp_ull* to, enum schedule schedule) {
  long start, end;
  const bool any = start_loop(narrowed(first), narrowed(last), (long)stride, narrowed(chunk),
                              &start, &end, schedule);
  *from = (gomp_ull)start;
  *to = (gomp_ull)end;
  return any;
}

#define WIDE_LOOP_CALLS(NAME, SCHEDULE)                                                         \
  HOT bool GOMP_loop_ull_##NAME##_start(bool up, gomp_ull start, gomp_ull end, gomp_ull stride, \
                                        gomp_ull chunk, gomp_ull* from, gomp_ull* to) {         \
    (void)up;                                                                                   \
    return start_wide_loop(start, end, stride, chunk, from, to, SCHEDULE);                      \
  }                                                                                             \
  HOT bool GOMP_loop_ull_##NAME##_next(gomp_ull* from, gomp_ull* to) {                          \
    return fetch_wide_chunk(from, to);                                                          \
  }
WIDE_LOOP_CALLS(dynamic, SCHEDULE_DYNAMIC)
WIDE_LOOP_CALLS(nonmonotonic_dynamic, SCHEDULE_DYNAMIC)
WIDE_LOOP_CALLS(guided, SCHEDULE_GUIDED)
WIDE_LOOP_CALLS(nonmonotonic_guided, SCHEDULE_GUIDED)

HOT void GOMP_loop_end_nowait(void) {
  if (self.solo == 0) share_end();
}
HOT void GOMP_loop_end(void) {
  GOMP_loop_end_nowait();
  GOMP_barrier();
}

/* Sections. */
HOT unsigned GOMP_sections_next(void) {
  if (self.solo == 0) return sections_fetch();
  return self.inner.section < self.inner.sections ? ++self.inner.section : 0;
}
HOT unsigned GOMP_sections_start(unsigned count) {
  if (self.solo == 0) {
    sections_init(count);
  } else {
    self.inner.section = 0;
    self.inner.sections = count;
  }
  return GOMP_sections_next();
}
HOT void GOMP_sections_end_nowait(void) { GOMP_loop_end_nowait(); }
HOT void GOMP_sections_end(void) { GOMP_loop_end(); }

HOT bool GOMP_single_start(void) { return self.solo != 0 || single_init(); }

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
HOT void GOMP_critical_start(void) { lock_take(&critical); }
HOT void GOMP_critical_end(void) { lock_give(&critical); }
HOT void GOMP_critical_name_start(void** lock) { lock_take((lock_t*)lock); }
HOT void GOMP_critical_name_end(void** lock) { lock_give((lock_t*)lock); }
HOT void GOMP_atomic_start(void) { lock_take(&atomic); }
HOT void GOMP_atomic_end(void) { lock_give(&atomic); }

/* Tasks. */
enum { ALIGNMENT = 8 };

RARE static void run_now(const struct call* call) {
  char room[call->bytes + ALIGNMENT] __attribute__((aligned(ALIGNMENT)));
  if (call->copy == NULL) {
    call->body((void*)call->argument);
    return;
  }
  call->copy(room, (void*)call->argument);
  call->body(room);
}

/* Tasks run on the stack of what waits. So that this stays small, tasks that many others wait below
 * run their children at once. */
static bool may_defer(long bytes) {
  enum { DEPTH_MAX = 4 };
  return current_task != NULL && current_task->depth < DEPTH_MAX && bytes <= TASK_BYTES;
}

static void check_alignment(long alignment) {
  if (alignment > ALIGNMENT) fail("a task's argument has alignment", (unsigned)alignment);
}

HOT void GOMP_taskwait(void) {
  if (current_task != NULL) task_wait();
}

HOT void GOMP_task(task_body* body, void* argument, void (*copy)(void*, void*), long bytes,
                   long alignment, bool deferred, unsigned flags, void** dependences, int priority,
                   void* detached) {
  const struct call call = {body, argument, copy, (unsigned)bytes};
  (void)priority;
  if (detached != NULL && (flags & GOMP_TASK_DETACH) != 0) fail("a detached task", 0);
  check_alignment(alignment);
  if ((flags & GOMP_TASK_DEPEND) == 0) dependences = NULL;
  if (deferred && may_defer(bytes) && task_init(&call, dependences)) return;
  if (dependences != NULL) GOMP_taskwait();
  run_now(&call);
}
/* Waits for more than it has to. */
void GOMP_taskwait_depend(void** dependences) {
  (void)dependences;
  GOMP_taskwait();
}
void GOMP_taskyield(void) {}

void GOMP_taskgroup_start(void) {
  if (current_task == NULL) return;
  struct group* const group = malloc(sizeof(struct group));
  if (group == NULL) fail("no room for a taskgroup, of bytes", sizeof(struct group));
  group_open(group);
}
void GOMP_taskgroup_end(void) {
  if (current_task == NULL) return;
  struct group* const group = current_task->group;
  group_close(group);
  free(group);
}

/* A loop whose iterations are parted among tasks. The first two words of an argument are a task's
 * bounds: numbers of so many bytes. */
struct taskloop {
  struct call call;
  unsigned flags;
  unsigned bound_bytes; /* of a bound */
  unsigned long long count, tasks;
};

static void part_taskloop(struct taskloop* loop, unsigned long given) {
  const bool grains = (loop->flags & GOMP_TASK_GRAINSIZE) != 0;
  if (given == 0) given = self.size == 0 ? 1 : self.size;
  const bool strict = (loop->flags & GOMP_TASK_STRICT) != 0;
  loop->tasks = !grains ? given : strict ? (loop->count + given - 1) / given : loop->count / given;
  if (loop->tasks > loop->count) loop->tasks = loop->count;
  if (loop->tasks == 0) loop->tasks = 1;
}

static void make_part(const struct taskloop* loop, unsigned long long start,
                      unsigned long long end) {
  char room[loop->call.bytes] __attribute__((aligned(ALIGNMENT)));
  struct call call = loop->call;
  if (call.copy == NULL) {
    memcpy(room, call.argument, call.bytes);
  } else {
    call.copy(room, (void*)call.argument);
  }
  /* The copy is words from here on, which a descriptor takes as they are. */
  call.argument = room;
  call.copy = NULL;
  memcpy(room, &start, loop->bound_bytes);
  memcpy(room + loop->bound_bytes, &end, loop->bound_bytes);
  const bool deferred = (loop->flags & GOMP_TASK_IF) != 0 && may_defer(call.bytes);
  if (!deferred || !task_init(&call, NULL)) run_now(&call);
}

/* The first tasks have one iteration more if they do not come out even; with a strict grain size
 * the last one has fewer. */
static void run_taskloop(const struct taskloop* loop, unsigned long given, unsigned long long start,
                         unsigned long long end, unsigned long long step) {
  if ((loop->flags & GOMP_TASK_REDUCTION) != 0) fail("a taskloop with a reduction", 0);
  const bool strict = (loop->flags & (GOMP_TASK_GRAINSIZE | GOMP_TASK_STRICT)) ==
                      (GOMP_TASK_GRAINSIZE | GOMP_TASK_STRICT);
  const unsigned long long each = strict ? given : loop->count / loop->tasks;
  const unsigned long long longer = strict ? 0 : loop->count % loop->tasks;
  struct group group;
  const bool grouped = (loop->flags & GOMP_TASK_NOGROUP) == 0 && current_task != NULL;
  if (grouped) group_open(&group);
  for (unsigned long long i = 0; loop->count != 0 && i < loop->tasks; ++i) {
    const bool last = i + 1 == loop->tasks;
    const unsigned long long next = last ? end : start + (each + (i < longer)) * step;
    make_part(loop, start, next);
    start = next;
  }
  if (grouped) group_close(&group);
}

void GOMP_taskloop(task_body* body, void* argument, void (*copy)(void*, void*), long bytes,
                   long alignment, unsigned flags, unsigned long tasks, int priority, long start,
                   long end, long step) {
  struct taskloop loop = {{body, argument, copy, (unsigned)bytes}, flags, sizeof(long), 0, 0};
  (void)priority;
  check_alignment(alignment);
  if (step > 0 ? start < end : start > end)
    loop.count =
        (unsigned long)(step > 0 ? (end - start - 1) / step : (start - end - 1) / -step) + 1;
  part_taskloop(&loop, tasks);
  run_taskloop(&loop, tasks, (unsigned long long)start, (unsigned long long)end,
               (unsigned long long)step);
}
void GOMP_taskloop_ull(task_body* body, void* argument, void (*copy)(void*, void*), long bytes,
                       long alignment, unsigned flags, unsigned long tasks, int priority,
                       gomp_ull start, gomp_ull end, gomp_ull step) {
  struct taskloop loop = {{body, argument, copy, (unsigned)bytes}, flags, sizeof(gomp_ull), 0, 0};
  const bool up = (flags & GOMP_TASK_UP) != 0;
  (void)priority;
  check_alignment(alignment);
  if (up ? start < end : start > end)
    loop.count = (up ? (end - start - 1) / step : (start - end - 1) / -step) + 1;
  part_taskloop(&loop, tasks);
  run_taskloop(&loop, tasks, start, end, step);
}

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
