/* SPDX-License-Identifier: Apache-2.0 */
/* OmpSs-2: #pragma oss. */
#include <stdio.h>
#include <stdlib.h>

#pragma oss assert("version.dependencies==regions")

static int sum_of(const int* a, int n) {
  int sum = 0;
  for (int k = 0; k < n; ++k) sum = sum * 3 % 10007 + a[k];
  return sum;
}

#pragma oss task in([n]from) out([n]to) label("copy")
static void copy(const int* from, int* to, int n) {
  for (int k = 0; k < n; ++k) to[k] = from[k];
}
//: tasks_of_all_kinds
void tasks_of_all_kinds(void) {
  int a[16], b[16], x = 1, y = 0;
#pragma oss task out(a[0;16]) label("fill") cost(16) priority(2)
  for (int k = 0; k < 16; ++k) a[k] = k;
#pragma oss task in(a[0:7]) inout(x) wait
  {
#pragma oss task in(a[0;4]) inout(x)
    x += a[3];
#pragma oss task in(a[4;4]) inout(x)
    x = x * 2 + a[7];
  }
  copy(a, b, 16);
#pragma oss task in(x, b) out(y) if(x == 0)
  y = x + b[15];
#pragma oss taskwait on(y)
  printf("%d %d %d\n", x, y, b[9]);
#pragma oss taskwait
}
//= 15 30 9
//: loops_do_not_wait
void loops_do_not_wait(void) {
  int a[60], b[60];
  for (int k = 0; k < 60; ++k) a[k] = b[k] = k;
  for (int step = 0; step < 5; ++step) {
#pragma oss taskloop grainsize(7) in(a[i]) inout(b[i])
    for (int i = 0; i < 60; ++i) b[i] = (b[i] + 3 * a[i]) % 1009;
#pragma oss task for chunksize(11) in(b[i]) inout(a[i])
    for (int i = 0; i < 60; ++i) a[i] = (a[i] * 2 + b[i]) % 1013;
#pragma oss taskloop for inout(a[i]) depend(in: b[i])
    for (int i = 0; i < 60; ++i) a[i] ^= b[i] & 1;
  }
#pragma oss task in(a) out(b[0])
  b[0] = sum_of(a, 60);
#pragma oss taskwait in(b[0])
  printf("%d\n", b[0]);
#pragma oss taskwait
}
//= 6893
//: iterations_are_replayed
void iterations_are_replayed(void) {
  int a[8] = {1, 2, 3, 4, 5, 6, 7, 8}, sum = 0, rounds = 0;
#pragma oss taskiter
  for (int step = 0; step < 9; ++step) {
    for (int k = 0; k < 8; ++k) {
#pragma oss task inout(a[k])
      a[k] = (a[k] * 5 + step) % 1009;
    }
#pragma oss task in(a) inout(sum)
    sum = (sum * 7 + sum_of(a, 8)) % 10007;
  }
#pragma oss taskwait
#pragma oss taskiter unroll(2)
  while (rounds < 4) {
    ++rounds;
#pragma oss task inout(sum)
    sum += 3;
  }
#pragma oss taskiter update
  do
#pragma oss task inout(sum)
    sum += 2;
  while (--rounds > 0);
#pragma oss taskwait
  printf("%d\n", sum);
}
//= 2273
//: sums_are_ordered_with_who_reads_them
void sums_are_ordered_with_who_reads_them(void) {
  int sum = 5, most = 0, twice = 0;
  for (int k = 0; k < 20; ++k) {
#pragma oss task reduction(+ : sum) reduction(max : most)
    {
      sum += k;
      if (k * 7 % 11 > most) most = k * 7 % 11;
    }
  }
#pragma oss task in(sum, most) out(twice)
  twice = 2 * sum + most;
#pragma oss task weakreduction(+ : sum) firstprivate(most)
  {
#pragma oss task reduction(+ : sum)
    sum += 100;
#pragma oss task reduction(+ : sum)
    sum += 200;
  }
#pragma oss task inout(sum)
  sum *= 2;
#pragma oss taskwait
  printf("%d %d %d\n", sum, most, twice);
}
//= 990 10 400
//: sums_of_loops
void sums_of_loops(void) {
  long sum = 1;
  int a[50];
#pragma oss taskloop out(a[i])
  for (int i = 0; i < 50; ++i) a[i] = i * i;
#pragma oss taskloop in(a[i]) reduction(+ : sum) grainsize(4)
  for (int i = 0; i < 50; ++i) sum += a[i];
#pragma oss task inout(sum)
  sum = -sum;
#pragma oss taskwait
  printf("%ld\n", sum);
}
//= -40426
//: weak_accesses_and_release
void weak_accesses_and_release(void) {
  int a[12] = {0};
#pragma oss task weakinout(a[0;12]) label("outer")
  for (int k = 0; k < 12; k += 3) {
#pragma oss task inout(a[k;3])
    {
      for (int j = 0; j < 3; ++j) a[k + j] += k + j;
#pragma oss release inout(a[k;3])
    }
  }
#pragma oss task weakcommutative(a[0], a[1]) weakconcurrent(a[2]) weakin(a[3:5])
  {
#pragma oss task commutative(a[0], a[1])
    a[0] += a[1] + 1;
#pragma oss task concurrent(a[2])
    {
#pragma oss atomic
      a[2] += 5;
#pragma oss critical(ours)
      a[2] += 6;
    }
  }
#pragma oss taskwait
  printf("%d\n", sum_of(a, 12));
}
//= 3171
//: values_of_a_variable
void values_of_a_variable(void) {
  int a[9] = {0}, n = 4;
#pragma oss task inout({a[i], i={0, 2, n + 1}})
  a[0] = a[2] = a[5] = 7;
#pragma oss task inout({a[3 * i + j], i={0, 2}, j=0;2}) in({a[k], k=2:2})
  a[0] += a[2], a[1] += 2, a[6] += 3, a[7] += 4;
#pragma oss task in({{a[3 * i + j], i=0;3}, j={0, 1, 2}}) out(n)
  n = sum_of(a, 9);
#pragma oss taskwait
  printf("%d\n", n);
}
//= 1489
//: what_the_task_does_first
static int started = 0;
static void start(int by) { started += by; }
void what_the_task_does_first(void) {
  int x = 3, by = 4;
#pragma oss task inout(x, started) onready(start(by + x))
  {
    if (started != 0 && started != 7) puts("not at the beginning");
    x = 2 * x + by;
  }
  by = 100;
#pragma oss task inout(x, started) onready(start(1))
  copy(&x, &x, 0);
#pragma oss taskwait
  if (started != 0 && started != 8) puts("not once each");  // a compiler runs none
  printf("%d\n", x);
}
//= 10
//: words_of_other_tools
void words_of_other_tools(void) {
  int x = 0;
#pragma oss task inout(x) verified device(smp)
  {
#pragma oss lint inout(x)
    { x += 1; }
#pragma oss lint in(x) verified(1)
    x += 2;
  }
#pragma oss taskyield
#pragma oss taskwait
  printf("%d\n", x);
}
//= 3
//: misspelled
void misspelled(void) {
  int x = 0;
  //! is 'task' meant?
#pragma oss taks inout(x)
  x = 1;
#pragma oss taskwait
}
//: misspelled_in_openmp
void misspelled_in_openmp(void) {
  int x = 0;
  //! is 'taskwait' meant?
#pragma omp taskwiat
  printf("%d\n", x);
}
//: of_no_directive
void of_no_directive(void) {
  //! there is no directive 'parallel'
#pragma oss parallel
  printf("\n");
}
//: device_that_is_none
void device_that_is_none(void) {
  int x = 0;
  //! this machine's processors
#pragma oss task inout(x) device(cuda)
  x = 1;
#pragma oss taskwait
}
//: iterations_of_no_loop
void iterations_of_no_loop(void) {
  int x = 0;
  //! expected a loop
#pragma oss taskiter
  { x = 1; }
  printf("%d\n", x);
}
//: iteration_that_ends_early
void iteration_that_ends_early(void) {
  int x = 0;
#pragma oss taskiter
  for (int k = 0; k < 4; ++k) {
    //! before its end
    if (k == 2) break;
#pragma oss task inout(x)
    x += 1;
  }
#pragma oss taskwait
}
//: sum_by_a_function
void sum_by_a_function(void) {
  int x = 0;
  //! let the tasks change the variable in critical
#pragma oss declare reduction(add : int : omp_out += omp_in)
#pragma oss task inout(x)
  x = 1;
#pragma oss taskwait
}
