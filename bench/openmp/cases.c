// SPDX-License-Identifier: Apache-2.0
//
// The cases: regions, worksharing, mutual exclusion, tasks.
#include <omp.h>
#include <stddef.h>

#include "constructs.h"

enum {
  kIterations = 128,  // a thread, of loops whose schedules are compared
  kLongLoop = 16384,  // iterations of the loop that does nothing
  kTasks = 1000,      // made by one thread, then waited for
  kFib = 12,
  kFibTasks = 464
};

static void run_parallel(long count) {
  for (long i = 0; i < count; ++i) {
#pragma omp parallel
    delay();
  }
}

static void run_reduction(long count) {
  for (long i = 0; i < count; ++i) {
    int sum = 0, most = 0;  // of two variables: then the compiler calls the library
#pragma omp parallel reduction(+ : sum) reduction(max : most)
    {
      delay();
      sum += 1;
      most = omp_get_thread_num();
    }
    if (sum < 1 || most >= sum) fail("a reduction is wrong");
  }
}

static void run_resize(long count) {
  for (long i = 0; i < count; ++i) {
#pragma omp parallel num_threads(1 + (int)(i % threads))
    delay();
  }
}

static void run_nested(long count) {
  for (long i = 0; i < count; ++i) {
#pragma omp parallel num_threads(2)
    {
#pragma omp parallel num_threads(2)
      delay();
    }
  }
}

static void run_barrier(long count) {
#pragma omp parallel
  for (long i = 0; i < count; ++i) {
    delay();
#pragma omp barrier
  }
}

static void run_single(long count) {
#pragma omp parallel
  for (long i = 0; i < count; ++i) {
#pragma omp single
    delay();
  }
}

static void run_for_static(long count) {
#pragma omp parallel
  for (long i = 0; i < count; ++i) {
#pragma omp for schedule(static)
    for (int k = 0; k < threads; ++k) delay();
  }
}

static void run_for_dynamic(long count) {
#pragma omp parallel
  for (long i = 0; i < count; ++i) {
#pragma omp for schedule(dynamic, 1)
    for (int k = 0; k < kIterations * threads; ++k) delay();
  }
}

static void run_for_guided(long count) {
#pragma omp parallel
  for (long i = 0; i < count; ++i) {
#pragma omp for schedule(guided, 1)
    for (int k = 0; k < kIterations * threads; ++k) delay();
  }
}

// Nothing but asking for iterations, all threads at once.
static void run_dynamic_fetch(long count) {
  for (long i = 0; i < count; ++i) {
    long met = 0;
#pragma omp parallel for schedule(dynamic, 1) reduction(+ : met)
    for (int k = 0; k < kLongLoop; ++k) met += 1;
    if (met != kLongLoop) fail("a dynamic loop lost iterations");
  }
}

static void run_sections_fetch(long count) {
  long met = 0;
#pragma omp parallel reduction(+ : met)
  for (long i = 0; i < count; ++i) {
#pragma omp sections nowait
    {
#pragma omp section
      met += 1;
#pragma omp section
      met += 1;
#pragma omp section
      met += 1;
#pragma omp section
      met += 1;
    }
  }
  if (met != 4 * count) fail("sections were lost");
}

static void run_sections(long count) {
#pragma omp parallel
  for (long i = 0; i < count; ++i) {
#pragma omp sections
    {
#pragma omp section
      delay();
#pragma omp section
      delay();
    }
  }
}

static void run_ordered(long count) {
  long met = 0;
#pragma omp parallel for ordered schedule(static, 1)
  for (long i = 0; i < count; ++i) {
#pragma omp ordered
    {
      delay();
      if (met++ != i) fail("iterations are out of order");
    }
  }
}

static void run_critical(long count) {
  long met = 0;
#pragma omp parallel for schedule(static)
  for (long i = 0; i < count; ++i) {
#pragma omp critical
    {
      delay();
      met += 1;
    }
  }
  if (met != count) fail("critical sections were not");
}

static void run_lock(long count) {
  long met = 0;
  omp_lock_t lock;
  omp_init_lock(&lock);
#pragma omp parallel for schedule(static)
  for (long i = 0; i < count; ++i) {
    omp_set_lock(&lock);
    delay();
    met += 1;
    omp_unset_lock(&lock);
  }
  omp_destroy_lock(&lock);
  if (met != count) fail("a lock did not lock");
}

static void run_lock_free(long count) {
  omp_lock_t lock;
  omp_init_lock(&lock);
  for (long i = 0; i < count; ++i) {
    omp_set_lock(&lock);
    omp_unset_lock(&lock);
  }
  omp_destroy_lock(&lock);
}

static void run_atomic(long count) {
  long met = 0;
#pragma omp parallel for schedule(static)
  for (long i = 0; i < count; ++i) {
#pragma omp atomic
    met += 1;
  }
  if (met != count) fail("an atomic update was lost");
}

// ---- Tasks: one thread makes them, all run them.

static long words[kTasks];

static void check_words(long count) {
  for (int k = 0; k < kTasks; ++k) {
    if (words[k] != count) fail("a task was lost");
    words[k] = 0;
  }
}

// All of them on one thread of a region, so many times over; each time the tasks end.
#define MYR_RUN_TASKS(name, ...)                                                     \
  static void run_##name(long count) {                                               \
    _Pragma("omp parallel") _Pragma("omp single") for (long i = 0; i < count; ++i) { \
      for (int k = 0; k < kTasks; ++k) __VA_ARGS__                                   \
      _Pragma("omp taskwait")                                                        \
    }                                                                                \
  }
MYR_RUN_TASKS(independent, { _Pragma("omp task firstprivate(k)") words[k] += 1; })
MYR_RUN_TASKS(apart,
              { _Pragma("omp task firstprivate(k) depend(inout : words[k])") words[k] += 1; })
MYR_RUN_TASKS(behind, { _Pragma("omp task depend(inout : words[0])") words[0] += 1; })
#undef MYR_RUN_TASKS

static void run_task(long count) {
  run_independent(count);
  check_words(count);
}

static void run_task_depend(long count) {
  run_apart(count);
  check_words(count);
}

static void run_task_chain(long count) {
  run_behind(count);
  if (words[0] != kTasks * count) fail("a task of a chain was lost");
  words[0] = 0;
}

static void run_taskwait(long count) {
#pragma omp parallel
#pragma omp single
  for (long i = 0; i < count; ++i) {
#pragma omp task
    words[0] += 1;
#pragma omp taskwait
  }
  if (words[0] != count) fail("a task was lost");
  words[0] = 0;
}

static void run_taskloop(long count) {
#pragma omp parallel
#pragma omp single
  for (long i = 0; i < count; ++i) {
#pragma omp taskloop grainsize(1)
    for (int k = 0; k < kTasks; ++k) words[k] += 1;
  }
  check_words(count);
}

static long fib(int n) {
  if (n < 2) return n;
  long left, right;
#pragma omp task shared(left)
  left = fib(n - 1);
#pragma omp task shared(right)
  right = fib(n - 2);
#pragma omp taskwait
  return left + right;
}

static void run_fib(long count) {
#pragma omp parallel
#pragma omp single
  for (long i = 0; i < count; ++i) {
    if (fib(kFib) != 144) fail("Fibonacci's number 12 is wrong");
  }
}

const struct Case cases[] = {
    {"parallel", run_parallel, 1, 1, 0},
    {"reduction", run_reduction, 1, 1, 0},
    {"resize", run_resize, 1, 1, 0},
    {"nested", run_nested, 2, 1, 0},
    {"barrier", run_barrier, 1, 1, 0},
    {"single", run_single, 1, 1, 1},
    {"for_static", run_for_static, 1, 1, 0},
    {"for_dynamic", run_for_dynamic, kIterations, kIterations, 0},
    {"for_guided", run_for_guided, kIterations, kIterations, 0},
    {"dynamic_fetch", run_dynamic_fetch, 0, kLongLoop, 0},
    {"sections", run_sections, 1, 1, 0},
    {"sections_fetch", run_sections_fetch, 0, 1, 0},
    {"ordered", run_ordered, 1, 1, 1},
    {"critical", run_critical, 1, 1, 1},
    {"lock", run_lock, 1, 1, 1},
    {"lock_free", run_lock_free, 0, 1, 0},
    {"atomic", run_atomic, 0, 1, 0},
    {"task", run_task, 0, kTasks, 0},
    {"task_depend", run_task_depend, 0, kTasks, 0},
    {"task_chain", run_task_chain, 0, kTasks, 0},
    {"taskwait", run_taskwait, 0, 1, 0},
    {"taskloop", run_taskloop, 0, kTasks, 0},
    {"fib", run_fib, 0, kFibTasks, 0},
    {NULL, NULL, 0, 0, 0},
};
