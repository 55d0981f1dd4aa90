/* SPDX-License-Identifier: Apache-2.0
 *
 * As many tasks under way as the engine's queues hold: none of them ends before all have been made,
 * so if one of them had no room and ran where it is made, the program would not end. First all may
 * run at once, then one after the other. The host's library has no such room, and waits for
 * nothing. */
#include "report.h"

enum { COUNTERS = 111 }; /* of tasks, in the largest engine */
enum { COUNT = QUEUE_DEPTH < COUNTERS ? QUEUE_DEPTH : COUNTERS };
static unsigned all_made, cells[COUNT], sum;

static void wait_for_all(void) {
#ifdef __riscv
  while (read_word((uintptr_t)&all_made) == 0) {
  }
#endif
}

static void fill_queue(void) {
#pragma omp parallel
#pragma omp single
  {
    for (unsigned i = 0; i < COUNT; ++i) {
#pragma omp task firstprivate(i)
      {
        wait_for_all();
        cells[i] += i * 3 + 1;
      }
    }
    all_made = 1;
  }
}

static void fill_chain(void) {
#pragma omp parallel
#pragma omp single
  {
    for (unsigned i = 0; i < COUNT; ++i) {
#pragma omp task firstprivate(i) depend(inout : sum)
      {
        wait_for_all();
        sum = sum * 5 + cells[i];
      }
    }
    all_made = 1;
  }
}

int main(void) {
  report("tasks", COUNT);
  fill_queue();
  all_made = 0;
  fill_chain();
  report("sum", sum);
  return 0;
}
