// SPDX-License-Identifier: Apache-2.0
//
// What clang 19 asks its library for and gcc does not, or asks otherwise: regions with many
// variables, static chunks at the ends of a type's range, collapsed doacross loops, untied tasks,
// taskloops, task reductions, copyprivate, events of a task in a team of one. Prints the checks
// that fail; status 1 then.
#include <limits.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

#include "check.h"

// A region passes a pointer for each variable that it uses.
static void check_many_variables(void) {
#define TEN(x) x##0 = 0, x##1 = 1, x##2 = 2, x##3 = 3, x##4 = 4, x##5, x##6, x##7, x##8, x##9
  int TEN(a), TEN(b), sum = 0;
  a5 = b5 = 5, a6 = b6 = 6, a7 = b7 = 7, a8 = b8 = 8, a9 = b9 = 9;
#pragma omp parallel num_threads(3) reduction(+ : sum)
  {
    sum += a0 + a1 + a2 + a3 + a4 + a5 + a6 + a7 + a8 + a9;
    sum += b0 + b1 + b2 + b3 + b4 + b5 + b6 + b7 + b8 + b9;
#pragma omp barrier
#pragma omp master
    a0 = b9 = 1;
  }
  CHECK(sum == 3 * 90 && a0 == 1 && b9 == 1);
}

static void check_static_loops(void) {
  int met = 0;
#pragma omp parallel for schedule(static, 3) reduction(+ : met)
  for (int i = INT_MAX - 10; i < INT_MAX; ++i) met += 1;
  CHECK(met == 10);
#pragma omp parallel for schedule(static) reduction(+ : met)
  for (int i = INT_MAX - 1; i < INT_MAX; ++i) met += 1;  // fewer iterations than threads
  CHECK(met == 11);
#pragma omp parallel for reduction(+ : met)
  for (long i = 5; i > -5; i -= 4) met += 1;
  CHECK(met == 14);
#pragma omp parallel for schedule(static, 2) reduction(+ : met)
  for (unsigned long i = ULONG_MAX - 5; i < ULONG_MAX; ++i) met += 1;
  CHECK(met == 19);
  int last = 0;
#pragma omp parallel for lastprivate(last) schedule(dynamic, 3)
  for (int i = 0; i < 100; ++i) last = i;
  CHECK(last == 99);
}

// Both loops are one, so that several threads run iterations with the same i.
// Parts that are longer than the loop, or whose distance the loop's type cannot hold.
static void check_long_parts(void) {
  for (int threads = 1; threads <= 8; ++threads) {
    int small = 0, largest = 0, sparse = 0;
#pragma omp parallel for schedule(static, 1 << 30) num_threads(threads) reduction(+ : small)
    for (int i = 0; i < 5; ++i) small += 1;
#pragma omp parallel for schedule(static, 2147483647) num_threads(threads) reduction(+ : largest)
    for (int i = -3; i < 4; ++i) largest += 1;
#pragma omp parallel for schedule(static, 1000) num_threads(threads) reduction(+ : sparse)
    for (int i = 0; i < 2000000000; i += 1000000) sparse += 1;
    CHECK(small == 5 && largest == 7 && sparse == 2000);
  }
}

static void check_doacross(void) {
  enum { N = 30, M = 20 };
  static int cells[N][M];
#pragma omp parallel for collapse(2) ordered(2) schedule(dynamic)
  for (int i = 1; i < N; ++i) {
    for (int j = 1; j < M; ++j) {
#pragma omp ordered depend(sink : i - 1, j) depend(sink : i, j - 1)
      cells[i][j] = 1 + (cells[i - 1][j] > cells[i][j - 1] ? cells[i - 1][j] : cells[i][j - 1]);
#pragma omp ordered depend(source)
    }
  }
  CHECK(cells[N - 1][M - 1] == N + M - 3);
}

static void check_tasks(void) {
  int sum = 0, last = -1, order = 0;
#pragma omp parallel
#pragma omp single
  {
#pragma omp task untied shared(sum)
    {
      for (int i = 0; i < 10; ++i) {
#pragma omp task shared(sum)
#pragma omp atomic
        sum += i;
      }
#pragma omp taskwait
      CHECK(sum == 45);
#pragma omp taskyield
    }
#pragma omp taskwait
#pragma omp taskloop lastprivate(last) grainsize(3) untied
    for (int i = 0; i < 50; ++i) last = i;
#pragma omp taskloop if (0) num_tasks(4) shared(sum)
    for (int i = 0; i < 50; ++i) sum += 1;
#pragma omp task depend(out : order) shared(order)
    order = 1;
#pragma omp task depend(inout : order) shared(order) if (0)
    order = order == 1 ? 2 : -1;
#pragma omp task final(1) shared(order)
    {
      int inner = 0;
#pragma omp task shared(inner)
      inner = omp_in_final();
      CHECK(inner == 1);  // it has run: all tasks in a final one are undeferred
    }
#pragma omp taskwait depend(in : order)
  }
  CHECK(sum == 95 && last == 49 && order == 2);
}

static void pause_for_a_moment(void) {
  const double end = omp_get_wtime() + 0.001;
  while (omp_get_wtime() < end) {
  }
}

// A wait for a place is one for tasks that name all memory, too.
static void check_all_memory(void) {
  int place = 0, done = 0, missed = 0;
#pragma omp parallel num_threads(2)
#pragma omp single
  for (int round = 1; round <= 20; ++round) {
#pragma omp task depend(out : omp_all_memory) shared(done)
    {
      pause_for_a_moment();
      done = round;
    }
    if (round % 2 == 0) {
#pragma omp task if (0) depend(in : place) shared(done, missed)
      missed += done != round;
    } else {
#pragma omp taskwait depend(in : place)
      missed += done != round;
    }
#pragma omp taskwait
  }
  CHECK(missed == 0);
}

static void check_reductions(void) {
  int sum = 0, all = 0;
  double product = 1;
#pragma omp parallel
#pragma omp single
#pragma omp taskgroup task_reduction(+ : sum) task_reduction(* : product)
  for (int i = 0; i < 100; ++i) {
#pragma omp task in_reduction(+ : sum) in_reduction(* : product)
    {
      sum += i;
      if (i % 10 == 0) product *= 2;
    }
  }
#pragma omp parallel reduction(task, + : all)
  {
#pragma omp for
    for (int i = 0; i < 20; ++i) {
#pragma omp task in_reduction(+ : all)
      all += i;
    }
  }
  CHECK(sum == 4950 && product == 1024 && all == 190);
}

static void check_single(void) {
#pragma omp parallel num_threads(4)
  {
    for (int round = 0; round < 50; ++round) {
      int value = -1;
#pragma omp single copyprivate(value)
      value = round;
      CHECK(value == round);
    }
  }
}

// Tasks without a region, and one that an event ends.
static void check_alone(void) {
  int sum = 0;
  omp_event_handle_t event = (omp_event_handle_t)0;
#pragma omp task detach(event) shared(sum)
  {
    sum += 1;
    omp_fulfill_event(event);
  }
#pragma omp task shared(sum) depend(out : sum)
  sum += 1;
#pragma omp task shared(sum) depend(in : sum)
  sum += 1;
#pragma omp taskwait
  CHECK(sum == 3);
}

static void check_locks(void) {
  omp_nest_lock_t locks[2];  // eight bytes each
  for (int i = 0; i < 2; ++i) omp_init_nest_lock(&locks[i]);
  int sum = 0;
#pragma omp parallel num_threads(4)
  for (int i = 0; i < 100; ++i) {
    omp_nest_lock_t* lock = &locks[i % 2];
    omp_set_nest_lock(&locks[0]);
    omp_set_nest_lock(lock);
    sum += 1;
    CHECK(omp_test_nest_lock(lock) == (i % 2 == 0 ? 3 : 2));
    for (int times = 0; times < 2; ++times) omp_unset_nest_lock(lock);
    omp_unset_nest_lock(&locks[0]);
  }
  CHECK(sum == 400);
  for (int i = 0; i < 2; ++i) omp_destroy_nest_lock(&locks[i]);
}

static void check_schedule(void) {
  omp_sched_t kind = omp_sched_auto;
  int chunk = -1;
  omp_get_schedule(&kind, &chunk);
  CHECK(kind == omp_sched_static && chunk == 0);  // as LLVM's library has it
}

static void check_teams(void) {
  int sum = 0;
#pragma omp teams distribute parallel for num_teams(3) reduction(+ : sum)
  for (int i = 0; i < 1000; ++i) sum += i;
  CHECK(sum == 499500);
#pragma omp teams distribute parallel for num_teams(2) dist_schedule(static, 7) \
    schedule(dynamic, 2) reduction(+ : sum)
  for (int i = 0; i < 1000; ++i) sum += i;
  CHECK(sum == 999000);
}

// What no construct becomes: the calls of older compilers, and those of omp.h about objects of
// other systems, of which there are none.
void* __kmpc_threadprivate_cached(void* place, int number, void* original, size_t bytes,
                                  void*** cache);
int __kmpc_global_thread_num(void* place);
void __kmpc_atomic_fixed4_div_rev(void* place, int number, int* x, int y);
int __kmpc_atomic_fixed4_shl_cpt_rev(void* place, int number, int* x, int y, int after);
void __kmpc_atomic_fixed1_mul_float8(void* place, int number, signed char* x, double y);
void __kmpc_atomic_fixed2_eqv(void* place, int number, short* x, short y);
void __kmpc_atomic_cmplx4_mul(void* place, int number, float _Complex* x, float _Complex y);
void __kmpc_atomic_cmplx4_sub_cpt_rev(void* place, int number, float _Complex* x, float _Complex y,
                                      float _Complex* value, int after);
double _Complex __kmpc_atomic_cmplx8_div_cpt(void* place, int number, double _Complex* x,
                                             double _Complex y, int after);
long double _Complex __kmpc_atomic_cmplx10_rd(void* place, int number, long double _Complex* x);
void __kmpc_atomic_8(void* place, int number, void* x, void* y,
                     void (*change)(void*, void*, void*));
void __kmpc_atomic_20(void* place, int number, void* x, void* y,
                      void (*change)(void*, void*, void*));
void kmp_set_blocktime_(const int* milliseconds);

static void add_first(void* after, void* x, void* y) { *(long*)after = *(long*)x + *(long*)y; }
static void check_calls(void) {
  int number = 3, result = 1;
  signed char small = 10;
  short bits = 5;
  long words[3] = {0};
  float _Complex four = 1.0F + 2.0Fi, seen = 0;
  double _Complex eight = 6.0 + 2.0i;
  long double _Complex ten = 1.0L - 1.0Li;
#pragma omp parallel num_threads(4)
  {
    const int number = __kmpc_global_thread_num(NULL);
    long one = 1;
    __kmpc_atomic_8(NULL, number, &words[0], &one, add_first);
    __kmpc_atomic_20(NULL, number, &words[0], &one, add_first);
    static char copied;
    static void** cache;
    const void* copy = __kmpc_threadprivate_cached(NULL, number, &copied, 1, &cache);
    CHECK(copy == &copied || (size_t)copy % 64 == 0);
  }
  CHECK(words[0] == 8);
  __kmpc_atomic_fixed4_div_rev(NULL, 0, &number, 12);
  result = __kmpc_atomic_fixed4_shl_cpt_rev(NULL, 0, &result, 3, 1);
  __kmpc_atomic_fixed1_mul_float8(NULL, 0, &small, 2.5);
  __kmpc_atomic_fixed2_eqv(NULL, 0, &bits, 5);
  CHECK(number == 4 && result == 6 && small == 25 && bits == -1);
  __kmpc_atomic_cmplx4_mul(NULL, 0, &four, 1.0Fi);
  __kmpc_atomic_cmplx4_sub_cpt_rev(NULL, 0, &four, 1.0F, &seen, 0);
  CHECK(seen == -2.0F + 1.0Fi && four == 3.0F - 1.0Fi);
  CHECK(__kmpc_atomic_cmplx8_div_cpt(NULL, 0, &eight, 2.0, 1) == 3.0 + 1.0i);
  CHECK(__kmpc_atomic_cmplx10_rd(NULL, 0, &ten) == 1.0L - 1.0Li);
  int why = 0;
  CHECK(omp_get_interop_int(omp_interop_none, omp_ipr_fr_id, &why) == 0 && why == omp_irc_empty);
  CHECK(omp_get_interop_ptr(omp_interop_none, omp_ipr_device, NULL) == NULL);
  CHECK(omp_get_interop_str(omp_interop_none, omp_ipr_vendor_name, NULL) == NULL);
  CHECK(omp_get_interop_name(omp_interop_none, omp_ipr_vendor) == NULL);
  CHECK(omp_get_num_interop_properties(omp_interop_none) == 0 && omp_get_num_devices() == 0);
  const omp_allocator_handle_t far = llvm_omp_target_shared_mem_alloc;
  omp_free(omp_alloc(8, far), far);
  kmp_set_blocktime_(&(int){kmp_get_blocktime()});
}

int main(void) {
  check_schedule();
  check_many_variables();
  check_static_loops();
  check_long_parts();
  check_doacross();
  check_tasks();
  check_all_memory();
  check_reductions();
  check_single();
  check_alone();
  check_locks();
  check_teams();
  check_calls();
  return failures != 0;
}
