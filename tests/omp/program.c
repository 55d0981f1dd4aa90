// SPDX-License-Identifier: Apache-2.0
//
// Every construct of OpenMP on Myrmidon's libgomp.so.1, each by a check of what it must compute
// with any number of threads. Prints the checks that fail; status 1 then.
#include <omp.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"

enum { N = 2000 };

static void check_regions(void) {
  int threads = 0, sum = 0;
#pragma omp parallel reduction(+ : sum)
  {
#pragma omp master
    threads = omp_get_num_threads();
    sum += omp_get_thread_num() + 1;
    CHECK(omp_get_level() == 1);
  }
  CHECK(sum == threads * (threads + 1) / 2);
  for (int wanted = 1; wanted < 9; ++wanted) {  // team sizes that change
    int met = 0;
#pragma omp parallel num_threads(wanted) reduction(+ : met)
    met += omp_get_num_threads();
    CHECK(met == wanted * wanted);
  }
  CHECK(omp_get_num_threads() == 1 && omp_get_thread_num() == 0 && !omp_in_parallel());
}

static void check_threads_stay(void) {
  static int own;
#pragma omp threadprivate(own)
#pragma omp parallel num_threads(4)
  own = omp_get_thread_num() + 1;
  for (int round = 0; round < 10; ++round) {
#pragma omp parallel num_threads(2 + round % 3)
    CHECK(own == omp_get_thread_num() + 1);
  }
}

static void check_nested(void) {
  const int levels = omp_get_max_active_levels();
  omp_set_max_active_levels(3);
  int sum = 0;
#pragma omp parallel num_threads(2) reduction(+ : sum)
  {
    const int outer = omp_get_thread_num();
#pragma omp parallel num_threads(3) reduction(+ : sum)
    {
      CHECK(omp_get_level() == 2 && omp_get_team_size(1) == 2);
      CHECK(omp_get_ancestor_thread_num(1) == outer);
      sum += 1;
    }
  }
  CHECK(sum == 6);
  omp_set_max_active_levels(levels);
}

static bool once_each(const int* counts) {
  for (int i = 0; i < N; ++i) {
    if (counts[i] != 1) return false;
  }
  return true;
}

#define CHECK_LOOP(type, first, last, step, clauses)                            \
  do {                                                                          \
    int counts[N] = {0};                                                        \
    int number = 0;                                                             \
    _Pragma("omp parallel") {                                                   \
      _Pragma(clauses) for (type i = first; i < last; i += step)                \
          __atomic_fetch_add(&counts[(i - first) / step], 1, __ATOMIC_RELAXED); \
    }                                                                           \
    for (int i = 0; i < N; ++i) number += counts[i];                            \
    CHECK(number == N && once_each(counts));                                    \
  } while (0)

static void check_loops(void) {
  CHECK_LOOP(int, 0, N, 1, "omp for schedule(static)");
  CHECK_LOOP(long, 5, 5 + 3 * N, 3, "omp for schedule(static, 7)");
  CHECK_LOOP(int, 0, N, 1, "omp for schedule(dynamic)");
  CHECK_LOOP(long, -100, N - 100, 1, "omp for schedule(dynamic, 9)");
  CHECK_LOOP(int, 0, N, 1, "omp for schedule(monotonic : dynamic, 3)");
  CHECK_LOOP(int, 0, N, 1, "omp for schedule(guided)");
  CHECK_LOOP(int, 0, 2 * N, 2, "omp for schedule(guided, 5) nowait");
  CHECK_LOOP(int, 0, N, 1, "omp for schedule(auto)");
  CHECK_LOOP(unsigned long long, 0, N, 1, "omp for schedule(dynamic, 4)");
  CHECK_LOOP(unsigned long long, 7, 7 + 2ULL * N, 2, "omp for schedule(guided)");
  for (int kind = omp_sched_static; kind <= (int)omp_sched_auto; ++kind) {
    omp_set_schedule((omp_sched_t)kind, 3);
    CHECK_LOOP(int, 0, N, 1, "omp for schedule(runtime)");
    CHECK_LOOP(unsigned long long, 0, N, 1, "omp for schedule(runtime)");
  }
}

static void check_long_loop(void) {
  // The last values of the type: a counter must not wrap.
  const unsigned long long last = ~0ULL;
  int met = 0;
#pragma omp parallel for schedule(dynamic) reduction(+ : met)
  for (unsigned long long i = last - 50; i < last; ++i) met += 1;
#pragma omp parallel for schedule(guided) reduction(+ : met)
  for (unsigned long long i = last; i > last - 50; --i) met += 1;
  CHECK(met == 100);
}

static void check_ordered(void) {
  int last = -1;
#pragma omp parallel for ordered schedule(dynamic)
  for (int i = 0; i < 200; ++i) {
#pragma omp ordered
    {
      CHECK(last == i - 1);
      last = i;
    }
  }
  static int cell[40][40];
#pragma omp parallel for ordered(2) schedule(static, 1)
  for (int i = 1; i < 40; ++i) {
    for (int j = 1; j < 40; ++j) {
#pragma omp ordered depend(sink : i - 1, j) depend(sink : i, j - 1)
      cell[i][j] = 1 + (cell[i - 1][j] > cell[i][j - 1] ? cell[i - 1][j] : cell[i][j - 1]);
#pragma omp ordered depend(source)
    }
  }
  CHECK(cell[39][39] == 77);
}

static void check_sections_and_single(void) {
  int met[5] = {0}, singles = 0, masters = 0;
#pragma omp parallel
  {
#pragma omp sections
    {
#pragma omp section
      met[0] += 1;
#pragma omp section
      met[1] += 1;
#pragma omp section
      met[2] += 1;
    }
    for (int round = 0; round < 20; ++round) {
#pragma omp single
      singles += 1;
      int value = 0;
#pragma omp single copyprivate(value)
      value = round + 1;
      CHECK(value == round + 1);
    }
#pragma omp master
    masters += 1;
  }
  CHECK(met[0] == 1 && met[1] == 1 && met[2] == 1 && singles == 20 && masters == 1);
}

// Returns when two have called it.
static void meet(int* begun) {
#pragma omp atomic
  *begun += 1;
  for (int now = 0; now < 2;) {
#pragma omp atomic read
    now = *begun;
  }
}

// A thread that comes late to such a region is not waited for; the next region has it again.
static void check_regions_that_are_sections(void) {
  int met = 0;
  for (int round = 0; round < 30; ++round) {
#pragma omp parallel sections num_threads(5) reduction(+ : met)
    {
      met += 1;
#pragma omp section
      met += 1;
#pragma omp section
      met += 1;
    }
    int sum = 0, loop = 0;
#pragma omp parallel for schedule(dynamic, 1) num_threads(4) reduction(+ : loop)
    for (int i = 0; i < 10; ++i) loop += i;
#pragma omp parallel num_threads(5) reduction(+ : sum)
    sum += omp_get_thread_num();
    CHECK(loop == 45 && sum == 10);
  }
  CHECK(met == 90);
  int begun = 0;  // two that can only end together
#pragma omp parallel sections num_threads(4)
  {
    meet(&begun);
#pragma omp section
    meet(&begun);
  }
  CHECK(begun == 2);
}

static void check_locks(void) {
  omp_lock_t lock;
  omp_nest_lock_t nest;
  omp_init_lock(&lock);
  omp_init_nest_lock(&nest);
  int count = 0, nested = 0, named = 0, unnamed = 0;
  double wide = 0;
#pragma omp parallel reduction(+ : wide)
  for (int i = 0; i < 100; ++i) {
    omp_set_lock(&lock);
    count += 1;
    omp_unset_lock(&lock);
    omp_set_nest_lock(&nest);
    CHECK(omp_test_nest_lock(&nest) == 2);
    nested += 1;
    omp_unset_nest_lock(&nest);
    omp_unset_nest_lock(&nest);
#pragma omp critical(name)
    named += 1;
#pragma omp critical
    unnamed += 1;
    wide += 1;
  }
  CHECK(count == nested && nested == named && named == unnamed && wide == count);
  CHECK(omp_test_lock(&lock) && !omp_test_lock(&lock));
  omp_unset_lock(&lock);
  omp_destroy_lock(&lock);
  omp_destroy_nest_lock(&nest);
}

static long fib(int n) {
  if (n < 2) return n;
  long a, b;
#pragma omp task shared(a)
  a = fib(n - 1);
#pragma omp task shared(b) final(n < 8)
  b = fib(n - 2);
#pragma omp taskwait
  return a + b;
}

static void check_tasks(void) {
  long result = 0;
  int chain = 0, left = 0, right = 0, sum = 0, loop[N] = {0};
#pragma omp parallel
#pragma omp master
  {
    result = fib(15);
    for (int i = 0; i < 300; ++i) {
#pragma omp task depend(inout : chain)
      chain = chain * 1 + 1;
    }
#pragma omp task depend(out : left)
    left = 1;
#pragma omp task depend(in : left) depend(out : right)
    right = left + 1;
#pragma omp task depend(in : left, right) if (0)
    CHECK(left == 1 && right == 2);
#pragma omp taskwait depend(in : chain)
    CHECK(chain == 300);
#pragma omp taskgroup
    for (int i = 0; i < 50; ++i) {
#pragma omp task
      {
#pragma omp task
#pragma omp atomic
        sum += 1;
      }
    }
    CHECK(sum == 50);
#pragma omp taskloop grainsize(13)
    for (int i = 0; i < N; ++i) loop[i] += 1;
    CHECK(once_each(loop));
  }
  CHECK(result == 610 && chain == 300);
}

static void check_task_reductions(void) {
  int sum = 0, more = 0;
#pragma omp parallel
#pragma omp single
  {
#pragma omp taskgroup task_reduction(+ : sum)
    for (int i = 1; i <= 100; ++i) {
#pragma omp task in_reduction(+ : sum)
      sum += i;
    }
#pragma omp taskloop reduction(+ : more)
    for (int i = 1; i <= 100; ++i) more += i;
  }
  CHECK(sum == 5050 && more == 5050);
  int all = 0;
#pragma omp parallel reduction(task, + : all)
  {
#pragma omp task in_reduction(+ : all)
    all += 1;
  }
  CHECK(all == omp_get_max_threads());
}

// The copies are made by one of the threads of a loop, or of sections.
static void check_task_reductions_of_loops(void) {
  enum { kRounds = 5 };
  long sum = 0;
  for (int round = 0; round < kRounds; ++round) {
#pragma omp parallel
    {
#pragma omp for reduction(task, + : sum) schedule(dynamic)
      for (int i = 0; i < 100; ++i) {
        sum += 1;
#pragma omp task in_reduction(+ : sum)
        sum += 10;
      }
#pragma omp sections reduction(task, + : sum)
      {
#pragma omp task in_reduction(+ : sum)
        sum += 1000;
#pragma omp section
        sum += 100;
      }
    }
  }
  CHECK(sum == kRounds * 2200);
}

// Some of those that a task waits for have ended when it is made.
static void check_readers_of_several(void) {
  enum { kRounds = 300 };
  static struct {
    int left, right, sum;
  } cells[kRounds];
  int wrong = 0;
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < kRounds; ++i) {
#pragma omp task depend(out : cells[i].left)
    cells[i].left = i;
#pragma omp task depend(out : cells[i].right)
    cells[i].right = 2 * i;
#pragma omp task depend(in : cells[i].left, cells[i].right) depend(out : cells[i].sum)
    cells[i].sum = cells[i].left + cells[i].right;
#pragma omp task depend(in : cells[i].sum) shared(wrong)
    if (cells[i].sum != 3 * i) {
#pragma omp atomic
      ++wrong;
    }
  }
  CHECK(wrong == 0);
}

typedef struct Line {
  _Alignas(64) char bytes[64];
} Line;
typedef struct Large {
  _Alignas(64) char bytes[8192];
} Large;
// Copies of variables that are aligned to lines of the cache are so, too.
static void check_aligned_copies(void) {
  enum { kTasks = 20 };
  Line line = {{1}};
  Large large = {{2}};
  int right = 0;
#define IS_RIGHT(copy, first)                               \
  const volatile uintptr_t place = (uintptr_t)(copy).bytes; \
  const int is_right = place % 64 == 0 && (copy).bytes[0] == (first)
#pragma omp parallel
#pragma omp single
  {
    for (int i = 0; i < kTasks; ++i) {
#pragma omp task firstprivate(line)
      {
        IS_RIGHT(line, 1);
#pragma omp atomic
        right += is_right;
      }
#pragma omp task firstprivate(large)
      {
        IS_RIGHT(large, 2);
#pragma omp atomic
        right += is_right;
      }
    }
#pragma omp taskloop firstprivate(line) grainsize(1)
    for (int i = 0; i < kTasks; ++i) {
      IS_RIGHT(line, 1);
#pragma omp atomic
      right += is_right;
    }
  }
  CHECK(right == 3 * kTasks);
}

static void check_detach(void) {
  int order = 0;
#pragma omp parallel
#pragma omp single
  {
    omp_event_handle_t event;
#pragma omp task detach(event) depend(out : order)
    __atomic_store_n(&order, 1, __ATOMIC_RELEASE);
#pragma omp task depend(in : order)
    CHECK(order == 2);
#pragma omp task
    {
      while (__atomic_load_n(&order, __ATOMIC_ACQUIRE) != 1) {
      }
      __atomic_store_n(&order, 2, __ATOMIC_RELEASE);
      omp_fulfill_event(event);
    }
  }
}

static void check_teams(void) {
  int teams = 0, device = 0, value = 3;
#pragma omp teams num_teams(3) reduction(+ : teams)
  teams += 1;
  CHECK(teams >= 1 && teams <= 3);
#pragma omp target map(tofrom : device) firstprivate(value)
  {
    value += 1;
    device = value + omp_is_initial_device();
  }
  CHECK(device == 5 && value == 3);
}

// There are so many parts that most run where they are spawned. What one leaves in its variables or
// control variables, and children that outlive it, are nothing to the next.
static void check_many_parts_of_a_taskloop(void) {
  enum { kParts = 5000 };
  int cells[3] = {1, 2, 3};
  long sum = 0, children = 0, wrong = 0;
#pragma omp parallel
#pragma omp single
#pragma omp taskloop grainsize(1) firstprivate(cells) shared(sum, children, wrong)
  for (int i = 0; i < kParts; ++i) {
#pragma omp atomic
    wrong += cells[0] != 1 || cells[2] != 3 || omp_get_max_threads() == 99;
    cells[0] = i + 5;
    cells[2] = -1;
    if (i % 10 == 0) omp_set_num_threads(99);
    if (i % 7 == 0) {
#pragma omp task shared(children)
#pragma omp atomic
      children += 1;
    }
#pragma omp atomic
    sum += i;
  }
  CHECK(sum == (long)kParts * (kParts - 1) / 2 && children == (kParts + 6) / 7);
  CHECK(wrong == 0);
}

static long visited;
static void visit_list(long left) {
#pragma omp atomic
  visited += 1;
  if (left == 1) return;
#pragma omp task firstprivate(left)
  visit_list(left - 1);
}

static long visit_tree(int depth) {
  if (depth == 0) return 1;
  long below[3];
  for (int i = 0; i < 3; ++i) {
#pragma omp task untied shared(below) firstprivate(i, depth)
    below[i] = visit_tree(depth - 1 - (i == 1 && depth > 1));
  }
#pragma omp taskwait
  return below[0] + below[1] + below[2];
}

// A list whose tasks each spawn the next, more deeply nested than 16 bits count, and a tree of
// tasks that wait and may do so for others.
static void check_nested_tasks(void) {
  enum { kLength = 70000, kDepth = 7, kLeaves = 577 };
  long leaves = 0;
  visited = 0;
#pragma omp parallel
#pragma omp single
  {
    if (omp_get_num_threads() > 1) visit_list(kLength);  // alone it would need as much stack
    leaves = visit_tree(kDepth);
  }
  CHECK(visited == kLength || visited == 0);
  CHECK(leaves == kLeaves);
}

enum { kEvents = 50 };
static omp_event_handle_t events[kEvents];
static void* fulfill_all(void* unused) {
  for (int i = 0; i < kEvents; ++i) omp_fulfill_event(events[i]);
  return unused;
}
// Tasks that depend on each other end by events of a thread that is none of OpenMP's.
static void check_events_of_others(void) {
  pthread_t other;
  int count = 0, odd = 0;
#pragma omp parallel num_threads(3)
#pragma omp single
  {
    for (int i = 0; i < kEvents; ++i) {
      int* place = i % 2 == 0 ? &count : &odd;
      omp_event_handle_t event;
#pragma omp task depend(inout : place[0]) detach(event) firstprivate(place)
      *place += 1;
      events[i] = event;
    }
    CHECK(pthread_create(&other, NULL, fulfill_all, NULL) == 0);
#pragma omp task depend(in : count, odd) shared(count, odd)
    CHECK(count + odd == kEvents);
  }
  pthread_join(other, NULL);
}

static void* open_some_regions(void* sum) {
  for (int i = 0; i < 5; ++i) {
    omp_set_num_threads(2 + i % 2);
#pragma omp parallel
#pragma omp atomic
    *(long*)sum += 1;
  }
  return NULL;
}
// Threads that use the records of those that have ended.
static void check_threads_of_the_program(void) {
  enum { kThreads = 4, kRounds = 3 };
  long sum = 0;
  for (int round = 0; round < kRounds; ++round) {
    pthread_t threads[kThreads];
    for (int i = 0; i < kThreads; ++i) {
      CHECK(pthread_create(&threads[i], NULL, open_some_regions, &sum) == 0);
    }
    for (int i = 0; i < kThreads; ++i) pthread_join(threads[i], NULL);
  }
  CHECK(sum == kThreads * kRounds * 12 || omp_get_thread_limit() < 64);
}

// The default allocator belongs to the task that sets it, and to those that it makes then.
static void check_allocators(void) {
  const omp_allocator_handle_t usual = omp_get_default_allocator();
  int right = 0;
#pragma omp parallel num_threads(2) reduction(+ : right)
  {
    if (omp_get_thread_num() == 0) omp_set_default_allocator(omp_large_cap_mem_alloc);
#pragma omp barrier
    const omp_allocator_handle_t mine = omp_get_thread_num() == 0 ? omp_large_cap_mem_alloc : usual;
    int* block = omp_alloc(sizeof *block, omp_null_allocator);
    right += omp_get_default_allocator() == mine && block != NULL;
    omp_free(block, omp_null_allocator);
  }
  CHECK(right == 2 || omp_get_thread_limit() < 2);
  CHECK(omp_get_default_allocator() == usual);
}

static void check_cancellation(void) {
  if (!omp_get_cancellation()) return;
  int after = 0;
#pragma omp parallel
  {
#pragma omp for schedule(dynamic)
    for (int i = 0; i < N; ++i) {
#pragma omp cancel for if (i == 3)
#pragma omp cancellation point for
    }
#pragma omp cancel parallel
#pragma omp atomic
    after += 1;
  }
  CHECK(after == 0);
}

// One thread may be any number of constructs ahead of others, which come when it has passed all.
static void check_far_apart(void) {
  enum { kConstructs = 100 };
  int sum = 0, met = 0, passed = 0;
#pragma omp parallel num_threads(2)
  {
    const bool waits = omp_get_thread_num() == 1;
    for (int has_passed = !waits; !has_passed;) {
#pragma omp atomic read
      has_passed = passed;
    }
    for (int i = 0; i < kConstructs; ++i) {
#pragma omp for schedule(dynamic) nowait
      for (int k = 0; k < 3; ++k) {
#pragma omp atomic
        sum += k;
      }
#pragma omp sections nowait
      {
#pragma omp section
#pragma omp atomic
        met += 1;
#pragma omp section
#pragma omp atomic
        met += 1;
      }
#pragma omp for schedule(static, 1) nowait
      for (int k = 0; k < 4; ++k) {
#pragma omp atomic
        sum += k;
      }
    }
    if (!waits) {
#pragma omp atomic write
      passed = 1;
    }
  }
  const bool is_whole = omp_get_thread_limit() >= 2;
  CHECK(met == 2 * kConstructs);
  CHECK(sum == 9 * kConstructs || !is_whole);
}

// There is no device: the teams of one thread's target region are that thread.
static void check_target_in_region(void) {
  int sum = 0;
#pragma omp parallel num_threads(2)
#pragma omp single
  for (int i = 0; i < 20; ++i) {
#pragma omp target teams distribute map(tofrom : sum)
    for (int k = 0; k < 10; ++k) {
#pragma omp atomic
      sum += 1;
    }
#pragma omp target teams distribute parallel for map(tofrom : sum) reduction(+ : sum)
    for (int k = 0; k < 10; ++k) sum += 1;
  }
  CHECK(sum == 400);
}

// Each thread of a region that is spread has a part of the places, in which its own regions stay.
static void check_places(void) {
  const int levels = omp_get_max_active_levels();
  omp_set_max_active_levels(2);
  const int all = omp_get_partition_num_places();
  int others = 0;
#pragma omp parallel num_threads(2) proc_bind(spread) reduction(+ : others)
  {
    const int part = omp_get_partition_num_places();
    const bool is_half = part == (all + 1) / 2 || part == all / 2 || part == 1;
    others += omp_get_num_threads() == 2 && all != 0 && !is_half;
    int own[1024];
    omp_get_partition_place_nums(own);
#pragma omp parallel num_threads(3) proc_bind(close) reduction(+ : others)
    others += part != 0 && (omp_get_place_num() < own[0] || omp_get_place_num() >= own[0] + part);
  }
  CHECK(others == 0);
  CHECK(omp_get_partition_num_places() == all);
  omp_set_max_active_levels(levels);
}

int main(int count, char** words) {
  const int rounds = count > 1 ? atoi(words[1]) : 1;
  for (int round = 0; round < rounds; ++round) {
    check_regions();
    check_threads_stay();
    check_nested();
    check_loops();
    check_long_loop();
    check_ordered();
    check_sections_and_single();
    check_regions_that_are_sections();
    check_locks();
    check_tasks();
    check_task_reductions();
    check_task_reductions_of_loops();
    check_readers_of_several();
    check_aligned_copies();
    check_detach();
    check_many_parts_of_a_taskloop();
    check_nested_tasks();
    check_events_of_others();
    check_threads_of_the_program();
    check_teams();
    check_far_apart();
    check_target_in_region();
    check_places();
    check_allocators();
    check_cancellation();
  }
  return failures != 0;
}
