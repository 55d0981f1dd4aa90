/* SPDX-License-Identifier: Apache-2.0
 *
 * The OmpSs form before calls: what an access may name, and what a call may look like.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define N 12
#define BLOCK 4
#define ROW(m, i) (m)[i]
#define SUM_OF(data, to) sum((data), BLOCK, to)

struct view {
  const double* data;
  int count;
};

static void scale(double* a, int n, double f) {
  for (int i = 0; i < n; i++) a[i] = a[i] * f + i;
}
static void sum(const double* a, int n, double* to) {
  for (int i = 0; i < n; i++) *to += a[i];
}
static void sum_view(struct view view, double* to) { sum(view.data, view.count, to); }
static inline void set(double (*tile)[N], int rows, int columns, double value) {
  for (int i = 0; i < rows; i++)
    for (int j = 0; j < columns; j++) tile[i][j] += value;
}
static void bump(int* x, int by) { *x = *x * 3 + by; }
static double twice(double x) { return 2 * x; }
static void nothing(void) {}

static void one_dimension(void) {
  double v[N], total = 0, *p = v;
  int n = N, counter = 0;
  for (int i = 0; i < N; i++) v[i] = i;
  for (int i = 0; i < N; i += BLOCK) {
#pragma omp task inout(v[i; BLOCK])
    scale(v + i, BLOCK, 2.0);
#pragma omp task in(v[i : i + BLOCK - 1]), inout(total)
    sum(&v[i], BLOCK, &total);
  }
#pragma omp task input([n]p) inout(total)
  sum(p, n, &total);
#pragma omp task inout([BLOCK](p + BLOCK)) priority(counter + 1)
  scale(p + BLOCK, BLOCK, twice(counter ? 2.0 : 1.5));
#pragma omp task depend(in : p[0 : BLOCK], v[BLOCK : 2 * BLOCK]) depend(inout : total)
  SUM_OF(p, &total);
#pragma omp task in(v) inout(total)
  sum(v, N, &total);
#pragma omp task in(v[ : ], *p, p[n - 1]) inout(total)
  sum_view((struct view){v, N}, &total);
#pragma omp task inout(counter)
  bump(&counter, (int)v[0] ? 1 : 1);
  counter += 0 * n;
#pragma omp taskwait on(total, counter)
  printf("%.3f %d\n", total, counter);
#pragma omp taskwait
}

static void tiles(void) {
  double a[N][N] = {{0}};
  double* flat = &a[0][0];
  for (int i = 0; i < N; i += BLOCK)
    for (int j = 0; j < N; j += BLOCK)
#pragma omp task inout(a[i; BLOCK][j; BLOCK])
      set((double(*)[N]) & a[i][j], BLOCK, BLOCK, i + 0.1 * j);
  // Across the borders of four tiles.
#pragma omp task inout(a[2 : 5][2 : 5])
  set((double(*)[N]) & a[2][2], 4, 4, 100);
  // The same matrix through a pointer that knows nothing of its shape.
#pragma omp task inout([N][N] flat[1; 2][3; 4])
  set((double(*)[N])(flat + N + 3), 2, 4, 1000);
#pragma omp task inout(a[0][ : ])
  scale(ROW(a, 0), N, 2.0);
#pragma omp task inout([1][N] flat[0; 1][0; N], flat[5 * N; N])
  scale(flat, N, 0.5);
#pragma omp taskwait
  double all = 0;
  for (int i = 0; i < N * N; i++) all += flat[i] * (i % 7);
  printf("%.3f\n", all);
}

static void cube(double* c, int n) {
  for (int i = 0; i < n; i++) c[i] += 1;
}

static void three_dimensions(void) {
  static double c[4][5][6];
#pragma omp task inout(c[1; 2][2; 2][3; 2])
  c[1][2][3] += 5;
#pragma omp task inout(c[2][3][4; 1])
  cube(&c[2][3][4], 1);
#pragma omp task in(c) inout(c[0][0][0])
  c[0][0][0] += c[1][2][3] + c[2][3][4];
#pragma omp taskwait
  printf("%.0f\n", c[0][0][0]);
}

static void callees(void) {
  double a[N] = {1}, total = 0;
  void (*work)(double*, int, double) = scale;
  struct {
    void (*member)(double*, int, double);
  } table[2] = {{scale}, {scale}};
  int i = 1;
#pragma omp task inout(a)
  work(a, N, 3);
#pragma omp task inout(a)
  (*work)(a, N, 'a');
  work = NULL;
#pragma omp task inout(a)
  table[i].member(a, N, 2.0f);
  table[i].member = NULL;
#pragma omp task in(a) inout(total)
  (void)sum(a, N, &total);
#pragma omp task in(a) inout(total)
  ((sum))(a, N, &total);
#pragma omp task
  nothing();
#pragma omp taskwait on(total)
  printf("%.3f\n", total);
  char text[40];
#pragma omp task in(total) out(text)
  snprintf(text, sizeof text, "%.1f of %d", total, N);
#pragma omp task inout(text[0])
  *text = '*';
#pragma omp taskwait on(text)
  puts(text);
}

/* An argument that a task before computes is read by the task, all others when it is spawned. */
static void arguments(void) {
  int x = 1, y = 10, list[3] = {1, 2, 3}, next = 0;
  int *p = &x, *q = list;
#pragma omp task inout(x)
  bump(&x, 1);
#pragma omp task in(x) inout(y)
  bump(&y, x);
#pragma omp task in(*p) inout(y)
  bump(&y, *p + 1);
#pragma omp task inout(list[1])
  bump(list + 1, 7);
#pragma omp task in(list) inout(y)
  bump(&y, q[0] + list[1]);
  for (int i = 0; i < 3; i++) {
#pragma omp task inout(y)
    bump(&y, next++);
  }
#pragma omp task shared(next) inout(y)
  bump(&y, next);
#pragma omp taskwait
  printf("%d %d %d\n", x, y, next);
}

int main(void) {
  one_dimension();
  tiles();
  three_dimensions();
  callees();
  arguments();
  return 0;
}
