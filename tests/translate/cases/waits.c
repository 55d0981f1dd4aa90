// SPDX-License-Identifier: Apache-2.0
// Waits, clauses that say when a task runs, and order.
#include <stdio.h>
#include <stdlib.h>

static void set(int* to, int value) { *to = value; }

//: wait_on_one
void wait_on_one(void) {
  int x = 0, y = 0;
#pragma omp task out(x)
  set(&x, 42);
#pragma omp task out(y)
  set(&y, 7);
#pragma omp taskwait on(x)
  printf("%d\n", x);
#pragma omp taskwait
  printf("%d\n", y);
}
//= 42
//= 7
//: wait_in
void wait_in(void) {
  int x = 0, seen = 0;
#pragma omp task out(x)
  set(&x, 42);
#pragma omp task in(x) out(seen)
  seen = x;
#pragma omp taskwait in(x)
  printf("%d\n", x);
#pragma omp taskwait
  printf("%d\n", seen);
}
//= 42
//= 42
//: wait_on_a_range
void wait_on_a_range(void) {
  int a[8] = {0};
  for (int i = 0; i < 8; ++i) {
#pragma omp task out(a[i])
    a[i] = i;
  }
#pragma omp taskwait on(a[2;3])
  printf("%d %d %d\n", a[2], a[3], a[4]);
#pragma omp taskwait
}
//= 2 3 4
//: wait_in_a_loop
void wait_in_a_loop(void) {
  int x = 0;
  for (int i = 0; i < 4; ++i) {
#pragma omp task inout(x)
    x += i;
#pragma omp taskwait
    printf("%d%s", x, i < 3 ? " " : "\n");
  }
}
//= 0 1 3 6
//: wait_with_nothing_to_wait_for
void wait_with_nothing_to_wait_for(void) {
#pragma omp taskwait
#pragma omp taskwait
  puts("done");
}
//= done
//: wait_inside_a_task
void wait_inside_a_task(void) {
  int x = 0;
#pragma omp task inout(x)
  {
#pragma omp task inout(x)
    x = 41;
#pragma omp taskwait on(x)
    x += 1;
  }
#pragma omp taskwait
  printf("%d\n", x);
}
//= 42
//: if_clause
void if_clause(void) {
  int x = 0;
  for (int i = 0; i < 6; ++i) {
#pragma omp task inout(x) if (i % 2)
    x = 2 * x + 1;
  }
#pragma omp taskwait
  printf("%d\n", x);
}
//= 63
//: if_of_zero_runs_at_once
void if_of_zero_runs_at_once(void) {
  int x = 0;
#pragma omp task out(x)
  set(&x, 41);
#pragma omp task inout(x) if (0)
  x += 1;
  printf("%d\n", x);
#pragma omp taskwait
}
//= 42
//: final_clause
static void count_down(int* to, int n) {
  if (n == 0) return;
#pragma omp task inout(*to) final(n < 3)
  {
    *to += n;
    count_down(to, n - 1);
#pragma omp taskwait
  }
#pragma omp taskwait
}
void final_clause(void) {
  int x = 0;
  count_down(&x, 8);
  printf("%d\n", x);
}
//= 36
//: order_of_readers_and_writers
void order_of_readers_and_writers(void) {
  int x = 1, a = 0, b = 0, c = 0;
#pragma omp task in(x) out(a)
  a = x;
#pragma omp task in(x) out(b)
  b = 10 * x;
#pragma omp task inout(x)
  x = 5;
#pragma omp task in(x) out(c)
  c = x;
#pragma omp taskwait
  printf("%d %d %d\n", a, b, c);
}
//= 1 10 5
//: long_chain
void long_chain(void) {
  unsigned hash = 1;
  for (unsigned i = 0; i < 500; ++i) {
#pragma omp task inout(hash)
    hash = hash * 31 + i;
  }
  unsigned expected = 1;
  for (unsigned i = 0; i < 500; ++i) expected = expected * 31 + i;
#pragma omp taskwait
  printf("%s\n", hash == expected ? "same" : "different");
}
//= same
//: diamond
void diamond(void) {
  int top = 0, left = 0, right = 0, bottom = 0;
#pragma omp task out(top)
  top = 1;
#pragma omp task in(top) out(left)
  left = top + 10;
#pragma omp task in(top) out(right)
  right = top + 20;
#pragma omp task in(left, right) out(bottom)
  bottom = left + right;
#pragma omp taskwait
  printf("%d\n", bottom);
}
//= 32
//: double_buffering
void double_buffering(void) {
  int buffers[2] = {0, 0}, log[6] = {0};
  for (int i = 0; i < 6; ++i) {
    int* buffer = &buffers[i % 2];
#pragma omp task out(*buffer)
    *buffer = i;
#pragma omp task in(*buffer) out(log[i])
    log[i] = *buffer;
  }
#pragma omp taskwait
  for (int i = 0; i < 6; ++i) printf("%d%s", log[i], i < 5 ? " " : "\n");
}
//= 0 1 2 3 4 5
//: ordered_output
void ordered_output(void) {
  for (int i = 0; i < 4; ++i) {
#pragma omp task inout(*stdout)
    printf("%d%s", i, i < 3 ? " " : "\n");
  }
#pragma omp taskwait
}
//= 0 1 2 3
//: memory_freed_by_a_task
void memory_freed_by_a_task(void) {
  int *p = malloc(sizeof *p), r = 0;
#pragma omp task out(*p)
  *p = 42;
#pragma omp task in(*p) out(r)
  r = *p;
#pragma omp task inout(*p)
  free(p);
#pragma omp taskwait
  printf("%d\n", r);
}
//= 42
//: tasks_of_a_callee
static void spawn_some(int* a, int n) {
  for (int i = 0; i < n; ++i) {
#pragma omp task out(a[i])
    a[i] = i;
  }
}
void tasks_of_a_callee(void) {
  int a[4] = {0}, sum = 0;
  spawn_some(a, 4);
#pragma omp task in(a) out(sum)
  sum = a[0] + a[1] + a[2] + a[3];
#pragma omp taskwait
  printf("%d\n", sum);
}
//= 6
