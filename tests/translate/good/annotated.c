/* SPDX-License-Identifier: Apache-2.0
 *
 * Functions that are tasks wherever they are called; if and final.
 */
#include "annotated.h"

#include <stdio.h>

static void add_two(int* x) { *x += 2; }
static int before_it_was_a_task(void) {
  int x = 1;
  add_two(&x);
  return x;
}
#pragma omp task inout(*x)
static void add_two(int* x);

#pragma omp task out(*result) if (n > 2) final(n < 6)
static void fibonacci(int n, long* result) {
  if (n < 2) {
    *result = n;
    return;
  }
  long a, b;
  fibonacci(n - 1, &a), fibonacci(n - 2, &b);
#pragma omp taskwait on(a, b)
  *result = a + b;
}

static void at_once(void) {
  int x = before_it_was_a_task(), depth = 0;
  add_two(&x);
#pragma omp task inout(x)
  x += 5;
#pragma omp task inout(x) if (depth > 0)
  x *= 2;
  printf("%d\n", x);  // the task has run already
#pragma omp task inout(x) final(depth == 0)
  {
    for (int i = 0; i < 3; i++) {
#pragma omp task inout(x)
      x += i;
    }
    x *= 10;  // they too
  }
  printf("%d\n", x);
}

int main(void) {
  double a[64], b[64];
  long count = 0, result;
  for (int i = 0; i < 64; i++) a[i] = i;
  copy(a, b, 64);
  for (int i = 0; i < 2; i++)
    for (int j = 0; j < 2; j++) grow(8, (double(*)[8]) & b[i * 32 + j * 4], 4, 4);
  copy(b, a, 64);
  int go = 3;
  for (tick(&count, 2); go > 0; go--, tick(&count, 3)) continue;
  go ? tick(&count, 100) : tick(&count, 50);
  if (go)
    tick(&count, 1);
  else
    tick(&count, 30.7);
  tick_often(&count, 5);
  fibonacci(17, &result);
#pragma omp taskwait
  printf("%.0f %ld %ld\n", a[63] + a[9], count, result);
  at_once();
#pragma omp taskwait
  return 0;
}

void copy(const double* source, double* target, int length) {
  for (int i = 0; i < length; i++) target[i] = source[i];
}

void tick(long* c, char by) { *c += by; }
