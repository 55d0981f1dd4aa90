/* SPDX-License-Identifier: Apache-2.0
 *
 * Loops with all schedules, up and down, by strides and chunks, empty ones, with and without
 * `nowait`, reductions, ordered ones. Each iteration runs once, and a static one where it
 * should. */
#include <omp.h>

#include "report.h"

enum { COUNT = 96 };
static int runs[COUNT];

static void clear(void) {
  for (int i = 0; i < COUNT; ++i) runs[i] = 0;
}
static unsigned digest(void) {
  unsigned sum = 0;
  for (int i = 0; i < COUNT; ++i) sum = sum * 7 + (unsigned)runs[i];
  return sum;
}

/* Iterations may meet, as a wrong scheduler would let them. */
static void run(int i) {
#pragma omp atomic
  runs[i] += i + 1;
}

static void all_schedules(int first, int last, int stride, int chunk) {
#pragma omp parallel
  {
#pragma omp for schedule(dynamic)
    for (int i = first; i < last; i += stride) run(i);
#pragma omp for schedule(dynamic, chunk) nowait
    for (int i = first; i < last; i += stride) run(i);
#pragma omp for schedule(guided, chunk) nowait
    for (int i = first; i < last; i += stride) run(i);
#pragma omp for schedule(static, chunk) nowait
    for (int i = first; i < last; i += stride) run(i);
#pragma omp for schedule(runtime) nowait
    for (int i = first; i < last; i += stride) run(i);
#pragma omp for schedule(monotonic : dynamic, chunk)
    for (int i = last - 1; i >= first; i -= stride) run(i);
#pragma omp for schedule(guided)
    for (int i = last - 1; i >= first; i -= stride) run(i);
#pragma omp for schedule(runtime)
    for (int i = last - 1; i >= first; i -= stride) run(i);
  }
}

/* Upwards alone: downwards gcc 12 itself makes an empty loop of it, on the host. */
static unsigned over_unsigned(unsigned count) {
  unsigned sum = 0;
#pragma omp parallel reduction(+ : sum)
  {
#pragma omp for schedule(dynamic, 2)
    for (unsigned i = 3; i < count; i += 2) sum += i;
#pragma omp for schedule(guided)
    for (unsigned i = 2; i < count; i += 3) sum += i * 5;
  }
  return sum;
}

/* A bound that nothing can know makes gcc call what opens region and loop at once. */
static int combined(void) {
  int sum = 0;
#pragma omp parallel for schedule(dynamic, 3) reduction(+ : sum)
  for (int i = 0; i < COUNT; ++i) sum += i;
#pragma omp parallel for schedule(dynamic, 3)
  for (int i = 0; i < COUNT; ++i) run(i);
#pragma omp parallel for schedule(guided)
  for (int i = 0; i < COUNT; ++i) run(i);
#pragma omp parallel for schedule(runtime)
  for (int i = 0; i < COUNT; ++i) run(i);
#pragma omp parallel for schedule(static)
  for (int i = 0; i < COUNT; ++i) run(i);
  return sum;
}

/* What ordered regions write, one behind the other; every fifth iteration has none. Each loop has a
 * sequence of its own, as behind `nowait` two may run at a time. */
static unsigned sequences[5];
static void append(int loop, int i) {
  if (i % 5 == 0) return;
#pragma omp ordered
  sequences[loop] = sequences[loop] * 31 + (unsigned)i;
}
static unsigned in_order(void) {
#pragma omp parallel
  {
#pragma omp for schedule(dynamic) ordered nowait
    for (int i = 0; i < COUNT; ++i) append(0, i);
#pragma omp for schedule(dynamic, 3) ordered
    for (int i = COUNT; i > 0; i -= 2) append(1, i);
#pragma omp for schedule(static) ordered
    for (int i = 0; i < COUNT; ++i) append(2, i);
#pragma omp for schedule(static, 2) ordered nowait
    for (int i = 0; i < COUNT; ++i) append(3, i);
#pragma omp for schedule(guided, 2) ordered
    for (int i = 0; i < COUNT; ++i) append(4, i);
  }
  unsigned sum = 0;
  for (int i = 0; i < 5; ++i) sum = sum * 7 + sequences[i];
  return sum;
}

int main(void) {
  for (int stride = 1; stride <= 4; ++stride) {
    omp_set_schedule(stride == 1   ? omp_sched_static
                     : stride == 2 ? omp_sched_dynamic
                                   : omp_sched_guided,
                     stride == 3 ? 2 : 0);
    clear();
    all_schedules(0, COUNT, stride, 1);
    report("all iterations", digest());
    clear();
    all_schedules(5, COUNT - 10, stride, 3 + stride);
    report("some", digest());
    clear();
    all_schedules(7, 7, stride, 2);
    report("none", digest());
  }
  clear();
  report("sum", (unsigned)combined());
  report("combined", digest());
  report("unsigned", over_unsigned(COUNT));
  report("in order", in_order());

  /* Where static chunks run does not depend on the library, but on the number of threads. */
  unsigned misplaced = 0;
  omp_set_schedule(omp_sched_static, 5);
#pragma omp parallel for schedule(runtime) reduction(+ : misplaced)
  for (int i = 0; i < COUNT; ++i) {
    misplaced += i / 5 % omp_get_num_threads() != omp_get_thread_num();
  }
  report("misplaced", misplaced);
  return 0;
}
