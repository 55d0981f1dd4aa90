/* SPDX-License-Identifier: Apache-2.0
 *
 * The C interface from C; the rules are those of docs/semantics.md. */
#include <myr/myr.h>
#include <stdio.h>
#include <string.h>

static int failures = 0;
static void check(int condition, const char* what) {
  if (condition) return;
  fprintf(stderr, "failed: %s\n", what);
  ++failures;
}

static void scale(const myr_access* args) {
  double* numbers = args[0].address;
  const double factor = args[1].number;
  for (int64_t i = 0; i < args[2].integer; ++i) numbers[i] *= factor;
}

static void add(const myr_access* args) {
  const double* from = args[0].address;
  double* to = args[1].address;
  for (int i = 0; i < 10; ++i) to[i] += from[i];
}

static void grow(const myr_access* args) {
  int** const slot = args[1].address;
  *slot = myr_alloc(sizeof **slot, args[0].region);
  **slot = 42;
}

static void tasks_on_arrays(void) {
  myr_region region = myr_region_new(MYR_ROOT, 0);
  double* a = myr_alloc(10 * sizeof *a, region);
  double* b = myr_alloc(10 * sizeof *b, region);
  for (int i = 0; i < 10; ++i) a[i] = i, b[i] = 1;

  myr_spawn(scale, myr_inout(a), myr_number(2.0), myr_value(10));
  myr_spawn(add, myr_in(a), myr_inout(b));
  const myr_access tail[] = {myr_inout_range(b + 5, 5 * sizeof *b), myr_number(10.0), myr_value(5)};
  myr_spawn_array(scale, tail, 3);
  myr_wait(myr_in(b));

  check(b[4] == 9, "b[4]");
  check(b[5] == 110, "b[5]");
  myr_region_free(region);
}

static void a_task_with_a_priority(void) {
  myr_region region = myr_region_new(MYR_ROOT, 0);
  double* a = myr_alloc(10 * sizeof *a, region);
  for (int i = 0; i < 10; ++i) a[i] = i;
  myr_spawn_priority(5, scale, myr_inout(a), myr_number(3.0), myr_value(10));
  myr_wait_all();
  check(a[9] == 27, "a[9]");
  myr_region_free(region);
}

static void nothing(const myr_access* args) { (void)args; }

// Functions of an interface beside its macros; and what a C programmer writes first.
static void functions_and_macros(void) {
  void* (*const allocate)(size_t, myr_region) = myr_alloc;
  void (*const give_back)(void*) = &myr_free;
  void (*const spawn)(myr_function, const myr_access*, size_t) = myr_spawn_array;
  double* a = allocate(10 * sizeof *a, MYR_ROOT);
  for (int i = 0; i < 10; ++i) a[i] = i;
  const myr_access scaling[] = {myr_inout(a), myr_number(2.0), myr_value(10)};
  spawn(scale, scaling, 3);
  myr_spawn_array(scale, (myr_access[]){myr_inout(a), myr_number(2.0), myr_value(10)}, 3);
  myr_spawn(nothing);
  myr_wait(myr_in(a));
  check(a[9] == 36, "scaled twice");
  give_back(a);
  check(myr_version() >= MYR_VERSION, "version");
}

static void a_task_for_later(void) {
  double* a = myr_alloc(10 * sizeof *a, MYR_ROOT);
  for (int i = 0; i < 10; ++i) a[i] = i;
  myr_spawn_later(scale, myr_inout(a), myr_number(2.0), myr_value(10));
  while (!myr_is_ready(myr_in(a))) {
  }
  check(a[9] == 18, "a task for later");
  myr_spawn_later(scale, myr_inout(a), myr_number(2.0), myr_value(10));
  while (!myr_wait_for(1000000, myr_in(a), myr_inout(a))) {
  }
  check(a[9] == 36, "another one");
  myr_free(a);
}

static void tasks_in_regions(void) {
  const myr_region region = myr_region_new(MYR_ROOT, 0);
  int* made = NULL;
  myr_spawn(grow, myr_inout_region(region), myr_pointer(&made));
  myr_wait_all();
  check(made != NULL && *made == 42, "an object made by a task");
  myr_region_free(region);
}

struct stencil {
  const double* from;
  double* to;
  int* ended;
};

static int smooth(void* data, size_t begin, size_t end) {
  const struct stencil* stencil = data;
  for (size_t i = begin; i < end; ++i) {
    stencil->to[i] = stencil->from[i - 1] + stencil->from[i + 1];
  }
  return 0;
}

static size_t smoothed(const void* data, size_t begin, size_t end, myr_access* accesses) {
  const struct stencil* stencil = data;
  if (accesses != NULL) {
    accesses[0] = myr_in_range(stencil->from + begin - 1, (end - begin + 2) * sizeof(double));
    accesses[1] = myr_out_range(stencil->to + begin, (end - begin) * sizeof(double));
  }
  return 2;
}

static void note_end(void* data) { __atomic_add_fetch(((struct stencil*)data)->ended, 1, 5); }

static void loops(void) {
  enum { SIZE = 5000, STEPS = 6 };
  static double a[SIZE], b[SIZE];
  static struct stencil steps[STEPS];
  static int ended = 0;
  for (size_t i = 0; i < SIZE; ++i) a[i] = b[i] = (double)i;
  for (int step = 0; step < STEPS; ++step) {
    steps[step] = step % 2 == 0 ? (struct stencil){a, b, &ended} : (struct stencil){b, a, &ended};
    const myr_loop loop = {.size = sizeof loop,
                           .begin = 1,
                           .end = SIZE - 1,
                           .run = smooth,
                           .footprint = smoothed,
                           .destroy = note_end,
                           .data = &steps[step]};
    myr_for(&loop);
  }
  myr_wait(myr_in_range(a + SIZE / 2, sizeof *a));
  check(a[SIZE / 2] == (1 << STEPS) * (SIZE / 2), "the middle of a stencil");
  const myr_loop none = {
      .size = sizeof none, .run = smooth, .footprint = smoothed, .data = &steps[0]};
  myr_for(&none);
  myr_finish();
  check(ended == STEPS, "loops that have ended");
}

int main(void) {
  check(myr_init() == 0, "myr_init");
  check(myr_init() == 0, "myr_init again");
  check(strlen(myr_error_text(0)) > 0, "text of no error");
  check(strlen(myr_error_text(-12345)) > 0, "text of an unknown error");
  check(myr_worker_count() > 0, "workers");
  check(myr_worker_index() < myr_worker_count(), "worker index");
  tasks_on_arrays();
  functions_and_macros();
  a_task_for_later();
  a_task_with_a_priority();
  tasks_in_regions();
  loops();
  return failures == 0 ? 0 : 1;
}
