/* SPDX-License-Identifier: Apache-2.0
 *
 * What INIT, FETCH, END and SYNC cost: the workloads of table VII of paper 5, and the parts of a
 * task's INIT, as in its fig. 6, by calls of scheduler.h, each between two readings of the core's
 * cycle counter. One of them a program, as CONSTRUCT says, so that they do not displace each other
 * in the instruction caches.
 *
 * Lines for each primitive say its cycles, in how many of them the core had no instruction to begin
 * with, and how many there were, over all threads and rounds but the first, which warms up. The
 * paper's tasks are 100 times as long; it does not say of how many rounds its numbers are means. */
#include <string.h>

#include "../omp/scheduler.h"
#include "../omp/tasks.h"
#include "report.h"

#define SECTIONS 1
#define LOOPS 2
#define TASKS 3
#define PARTS 4

enum { ROUNDS = 6 };
enum primitive { INIT, FETCH, END, SINGLE, SYNC, ALLOCATE, FILL, QUEUE, PRIMITIVES };

/* A moment on a core: its cycles, and those of them without an instruction to begin with, as a line
 * of the cache was missing or a branch was taken. */
struct moment {
  unsigned cycle, waiting;
};
static struct cost {
  unsigned cycles, waiting, count;
} costs[CORES_MAX][PRIMITIVES];
static unsigned whole; /* cycles of all rounds, on core 0 */
static unsigned done;  /* units of work */
static __thread unsigned round;

static void count_waiting(void) {
  enum { IF_INVALID = 1 << 9 };
  __asm__ volatile("csrw mhpmevent3, %0" ::"r"(IF_INVALID));
}
/* Reading the second counter is not timed, neither before what is nor after it; the instructions
 * are in one line. */
static inline struct moment moment_before(void) {
  unsigned waiting, cycle;
  __asm__ volatile(".balign 8\n csrr %0, mhpmcounter3\n csrr %1, mcycle"
                   : "=r"(waiting), "=r"(cycle)::"memory");
  return (struct moment){cycle, waiting};
}
static inline struct moment moment_after(void) {
  unsigned waiting, cycle;
  __asm__ volatile(".balign 8\n csrr %0, mcycle\n csrr %1, mhpmcounter3"
                   : "=r"(cycle), "=r"(waiting)::"memory");
  return (struct moment){cycle, waiting};
}

/* It fills two fifths of an instruction cache, as the paper's does. */
HOT_CALL static void work(void) { __asm__ volatile(".rept 100\n nop\n .endr" ::: "memory"); }

/* Inlined, so that between two primitives nothing far away is called. */
__attribute__((always_inline)) static inline void add(enum primitive primitive, unsigned cycles,
                                                      unsigned waiting) {
  struct cost* const cost = &costs[core_index()][primitive];
  cost->cycles += cycles;
  cost->waiting += waiting;
  cost->count += 1;
}

#define TIMED(PRIMITIVE, CALL)                                        \
  do {                                                                \
    const struct moment from = moment_before();                       \
    CALL;                                                             \
    const struct moment to = moment_after();                          \
    add(PRIMITIVE, to.cycle - from.cycle, to.waiting - from.waiting); \
  } while (0)

static void count(unsigned units) {
#pragma omp atomic
  done += units;
}

#if CONSTRUCT == SECTIONS
#define NAME "sections"
enum { UNITS = 24 };

HOT_CALL static void construct(void) {
  unsigned section, units = 0;
  TIMED(INIT, sections_init(UNITS));
  for (;;) {
    TIMED(FETCH, section = sections_fetch());
    if (section == 0) break;
    work();
    units += 1;
  }
  TIMED(END, share_end());
  count(units);
}

#elif CONSTRUCT == LOOPS
#define NAME "loops"
enum { UNITS = 64 };

HOT_CALL static void construct(void) {
  static volatile int one = 1; /* so that the call is not made for these numbers */
  const struct loop loop = {SCHEDULE_DYNAMIC, 0, UNITS * one, one, one};
  unsigned units = 0;
  TIMED(INIT, loop_init(&loop));
  for (;;) {
    long start, end;
    bool any;
    TIMED(FETCH, any = loop_fetch(&start, &end));
    if (!any) break;
    for (; start < end; ++start) work();
    units += 1;
  }
  TIMED(END, share_end());
  count(units);
}

#else
enum { UNITS = 18, TASK_ROUNDS = 50 };
static __thread struct moment began, ended;

HOT static void task(void* argument) {
  (void)argument;
  began = moment_after();
  for (unsigned i = 0; i < TASK_ROUNDS; ++i) work();
  count(1);
  ended = moment_before();
}

HOT_CALL static void run_tasks(void) {
  while (read_word((uintptr_t)&done) < UNITS) {
    const struct moment start = moment_before();
    if (!task_run()) {
      pause_briefly();
      continue;
    }
    const struct moment stop = moment_after();
    add(FETCH, began.cycle - start.cycle, began.waiting - start.waiting);
    add(END, stop.cycle - ended.cycle, stop.waiting - ended.waiting);
  }
}

#if CONSTRUCT == TASKS
#define NAME "tasks"

static void make(unsigned number) {
  const struct call call = {task, &number, 0, sizeof(number)};
  bool made;
  TIMED(INIT, made = task_init(&call, NULL));
  if (!made) task(0);
}
#elif CONSTRUCT == PARTS
#define NAME "parts"

/* What task_init() does. There is room for all. */
static void make(unsigned number) {
  struct task* made;
  TIMED(ALLOCATE, made = task_new());
  TIMED(FILL, {
    made->body = task;
    made->parent = current_task;
    made->group = current_task->group;
    *(unsigned*)made->argument = number;
  });
  TIMED(QUEUE, task_add(made, true));
}
#endif

/* One thread makes them; all run them. */
HOT_CALL static void construct(void) {
  bool first;
  TIMED(SINGLE, first = single_init());
  for (unsigned i = 0; first && i < UNITS; ++i) make(i);
  run_tasks();
}
#endif

static void measure(void) {
#pragma omp parallel
  for (round = 0; round < ROUNDS; ++round) {
    count_waiting();
    if (round == 1) memset(costs[core_index()], 0, sizeof(costs[0]));
    sync();
    const unsigned start = cycle_count();
    construct();
    TIMED(SYNC, sync());
    if (core_index() == 0) {
      if (round != 0) whole += cycle_count() - start;
      if (done != UNITS) fail("units of work", done);
      done = 0;
    }
  }
}

static void tell(const char* name, const char* what, unsigned number) {
  print_text(name);
  report(what, number);
}

int main(void) {
  static const char* const kNames[PRIMITIVES] = {NAME " init", NAME " fetch", NAME " end",
                                                 "single",     "sync",        "task allocate",
                                                 "task fill",  "task queue"};
  measure();
  for (unsigned i = 0; i < PRIMITIVES; ++i) {
    unsigned cycles = 0, waiting = 0, times = 0;
    for (unsigned core = 0; core < CORES_MAX; ++core) {
      cycles += costs[core][i].cycles;
      waiting += costs[core][i].waiting;
      times += costs[core][i].count;
    }
    if (times == 0) continue;
    tell(kNames[i], " cycles", cycles);
    tell(kNames[i], " waiting", waiting);
    tell(kNames[i], " count", times);
  }
  report(NAME " whole", whole / (ROUNDS - 1));
  return 0;
}
