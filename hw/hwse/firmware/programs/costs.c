/* SPDX-License-Identifier: Apache-2.0
 *
 * What INIT, FETCH, END and SYNC cost: the workloads of table VII of paper 5, by calls of
 * scheduler.h, each between two readings of the core's cycle counter. A line for each says its
 * cycles and how many there were, over all threads and rounds but the first, which warms up. The
 * paper's tasks are 100 times as long; it does not say of how many rounds its numbers are means. */
#include "../omp/scheduler.h"
#include "../omp/tasks.h"
#include "report.h"

enum { ROUNDS = 6, SECTIONS = 24, ITERATIONS = 64, TASKS = 18, TASK_ROUNDS = 50 };
enum primitive {
  SECTIONS_INIT,
  SECTIONS_FETCH,
  SECTIONS_END,
  LOOP_INIT,
  LOOP_FETCH,
  LOOP_END,
  TASK_INIT,
  TASK_FETCH,
  TASK_END,
  SINGLE,
  SYNC,
  PRIMITIVES
};
static const char* const kNames[PRIMITIVES] = {
    "sections init", "sections fetch", "sections end", "loops init", "loops fetch", "loops end",
    "tasks init",    "tasks fetch",    "tasks end",    "single",     "sync"};

static struct {
  unsigned cycles, count;
} costs[CORES_MAX][PRIMITIVES];
static unsigned whole[3]; /* cycles of all rounds, on core 0 */
static unsigned done;     /* units of work */
static __thread unsigned round, began, ended;

static void work(void) { __asm__ volatile(".rept 100\n nop\n .endr" ::: "memory"); }

static void add(enum primitive primitive, unsigned cycles) {
  if (round == 0) return;
  costs[core_index()][primitive].cycles += cycles;
  costs[core_index()][primitive].count += 1;
}

#define TIMED(PRIMITIVE, CALL)                  \
  do {                                          \
    const unsigned timed_from = cycle_count();  \
    CALL;                                       \
    add(PRIMITIVE, cycle_count() - timed_from); \
  } while (0)

static void count(unsigned units) {
#pragma omp atomic
  done += units;
}

static void run_sections(void) {
  unsigned section, units = 0;
  TIMED(SECTIONS_INIT, sections_init(SECTIONS));
  for (;;) {
    TIMED(SECTIONS_FETCH, section = sections_fetch());
    if (section == 0) break;
    work();
    units += 1;
  }
  TIMED(SECTIONS_END, share_end());
  count(units);
}

static void run_loop(void) {
  static volatile int one = 1; /* so that the call is not made for these numbers */
  const struct loop loop = {SCHEDULE_DYNAMIC, 0, ITERATIONS * one, one, one};
  unsigned units = 0;
  TIMED(LOOP_INIT, loop_init(&loop));
  for (;;) {
    long start, end;
    bool any;
    TIMED(LOOP_FETCH, any = loop_fetch(&start, &end));
    if (!any) break;
    for (; start < end; ++start) work();
    units += 1;
  }
  TIMED(LOOP_END, share_end());
  count(units);
}

static void task(void* argument) {
  (void)argument;
  began = cycle_count();
  for (unsigned i = 0; i < TASK_ROUNDS; ++i) work();
  count(1);
  ended = cycle_count();
}

/* One thread makes them; all run them. */
static void run_tasks(void) {
  bool first;
  TIMED(SINGLE, first = single_init());
  for (unsigned i = 0; first && i < TASKS; ++i) {
    const unsigned number = i;
    bool made;
    const struct call call = {task, &number, 0, sizeof(number)};
    TIMED(TASK_INIT, made = task_init(&call));
    if (!made) task(0);
  }
  while (read_word((uintptr_t)&done) < TASKS) {
    const unsigned start = cycle_count();
    if (!task_run()) {
      pause_briefly();
      continue;
    }
    add(TASK_FETCH, began - start);
    add(TASK_END, cycle_count() - ended);
  }
}

static void measure(void (*construct)(void), unsigned units, unsigned* cycles) {
#pragma omp parallel
  for (round = 0; round < ROUNDS; ++round) {
    sync();
    const unsigned start = cycle_count();
    construct();
    TIMED(SYNC, sync());
    if (core_index() == 0) {
      if (round != 0) *cycles += cycle_count() - start;
      if (done != units) fail("units of work", done);
      done = 0;
    }
  }
}

int main(void) {
  measure(run_sections, SECTIONS, &whole[0]);
  measure(run_loop, ITERATIONS, &whole[1]);
  measure(run_tasks, TASKS, &whole[2]);
  for (unsigned i = 0; i < PRIMITIVES; ++i) {
    unsigned cycles = 0, times = 0;
    for (unsigned core = 0; core < CORES_MAX; ++core) {
      cycles += costs[core][i].cycles;
      times += costs[core][i].count;
    }
    print_text(kNames[i]);
    report(" cycles", cycles);
    print_text(kNames[i]);
    report(" count", times);
  }
  report("sections whole", whole[0] / (ROUNDS - 1));
  report("loops whole", whole[1] / (ROUNDS - 1));
  report("tasks whole", whole[2] / (ROUNDS - 1));
  return 0;
}
