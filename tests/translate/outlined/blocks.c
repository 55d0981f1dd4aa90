/* SPDX-License-Identifier: Apache-2.0
 *
 * Tasks in tasks whose variables have the same names, arrays of variable length, records of all
 * sizes, tasks that run at once. */
#include <stdio.h>
#include <string.h>

#include "next.h"

#define N 16

static void row(double* r, double k) {
  for (int j = 0; j < N; ++j) r[j] = r[j] * k + j;
}

static void shadows(void) {
  static double m[N][N];
  const double k = 1.5;
  for (int it = 0; it < 3; ++it) {
    NEXT(USES(m, INOUT));
#pragma omp task firstprivate(it, k) shared(m)
    {
      const int scale = it + 1;
      for (int it = 0; it < N; ++it) {
        NEXT(USES(m[it], INOUT));
#pragma omp task firstprivate(it, k, scale) shared(m)
        row(m[it], k / scale);
      }
    }
  }
  myr_wait_all();
  double sum = 0;
  for (int i = 0; i < N; ++i) sum = sum * 0.9 + m[i][3];
  printf("%.6f\n", sum);
}

static void of_length(int n) {
  int a[n];
  memset(a, 0, sizeof a);
  for (int i = 0; i < n; ++i) {
    NEXT(USES(a[i], INOUT));
#pragma omp task firstprivate(i) shared(a)
    a[i] += i + (int)(sizeof a / sizeof *a);
  }
  myr_wait_all();
  for (int i = 0; i < n; ++i) printf("%d ", a[i]);
  printf("%s\n", __func__);
}

/* A record of `BYTES` bytes and a pointer, of which the task gets a copy. */
#define CARRY(BYTES)                                                  \
  {                                                                   \
    char bytes[BYTES];                                                \
    memset(bytes, BYTES & 0x7f, sizeof bytes);                        \
    {                                                                 \
      NEXT(USES(sum, INOUT));                                         \
      _Pragma("omp task firstprivate(bytes) shared(sum)") {           \
        for (unsigned i = 0; i < sizeof bytes; ++i) sum += bytes[i];  \
      }                                                               \
    }                                                                 \
    memset(bytes, 1, sizeof bytes);                                   \
  }

static void records(void) {
  long sum = 0;
  CARRY(1) CARRY(3) CARRY(7) CARRY(8) CARRY(9) CARRY(15)
  CARRY(16) CARRY(24) CARRY(25) CARRY(100) CARRY(5000)
  struct {
    _Alignas(64) char bytes[64];
  } aligned = {"aligned"};
  int misplaced = 0;
  {
    NEXT(USES(misplaced, INOUT));
#pragma omp task firstprivate(aligned) shared(misplaced)
    misplaced += (int)((size_t)&aligned % 64) + strcmp(aligned.bytes, "aligned");
  }
  myr_wait_all();
  printf("%ld %d\n", sum, misplaced);
}

static void at_once(void) {
  int x = 0, y = 0;
  {
    NEXT(USES(x, INOUT));
#pragma omp task shared(x)
    x = 7;
  }
  {
    NEXT_WITH(MYR_NEXT_AT_ONCE, 0, USES(x, INOUT));
#pragma omp task shared(x)
    x *= 2;
  }
  printf("%d ", x);
  {
    NEXT_WITH(MYR_NEXT_FINAL, 0, USES(y, INOUT));
#pragma omp task shared(y)
    {
      NEXT(USES(y, INOUT));
#pragma omp task shared(y)
      y = 3;
      printf("%d ", y);
    }
  }
  {
    NEXT_WITH(MYR_NEXT_PRIORITY | MYR_NEXT_KEEP_HERE, 2, USES(x, INOUT), USES(y, IN));
#pragma omp task shared(x, y)
    x += y;
  }
  myr_wait_all();
  printf("%d\n", x);
}

int main(void) {
  shadows();
  of_length(7);
  records();
  at_once();
  return 0;
}
