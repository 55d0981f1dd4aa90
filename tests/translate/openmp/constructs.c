// SPDX-License-Identifier: Apache-2.0
//
// OpenMP's constructs around tasks: regions, barriers, who shares which variable.
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static int work(int i) {
  usleep(200);
  return i;
}

static void region_waits(void) {
  int a[20] = {0}, sum = 0;
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 20; i++) {
#pragma omp task shared(a) firstprivate(i)
    a[i] = work(i);
  }
  for (int i = 0; i < 20; i++) sum += a[i];
  printf("region %d\n", sum);
}

static void defaults(void) {
  int shared_by_region = 0, listed = 5, n = 10;
#pragma omp parallel firstprivate(listed) default(shared)
  {
#pragma omp master
    {
      int own = 7;
#pragma omp task
      {
        own += 1;  // the task's copy
        listed += own;
        shared_by_region = listed + n;
      }
#pragma omp taskwait
      printf("own %d listed %d shared %d\n", own, listed, shared_by_region);
    }
  }
  printf("listed %d\n", listed);
}

static void barriers(void) {
  int x = 0, y = 0, z = 0;
#pragma omp parallel num_threads(4) shared(x, y, z)
  {
#pragma omp single nowait
    {
#pragma omp task
      x = work(1);
    }
#pragma omp barrier
#pragma omp single
    {
#pragma omp task
      y = x + work(1);
    }
#pragma omp masked
    {
#pragma omp task
      z = y + work(1);
#pragma omp taskwait
    }
  }
  printf("barriers %d %d %d\n", x, y, z);
}

static void groups(void) {
  int a = 0, b = 0, c = 0;
#pragma omp parallel
#pragma omp single
  {
#pragma omp taskgroup
    {
#pragma omp task
      {
        a = work(1);
#pragma omp task
        b = work(2);
      }
    }
    c = a + b;
#pragma omp taskyield
  }
  printf("group %d\n", c);
}

static void locks(void) {
  int count = 0, other = 0, big = 0;
  long double wide = 0;
  double total = 0;
#pragma omp parallel
#pragma omp single
  for (int k = 0; k < 50; k++) {
#pragma omp task
    for (int i = 0; i < 100; i++) {
#pragma omp atomic
      count++;
#pragma omp atomic update
      total += i * 0.5;
#pragma omp atomic
      wide = wide + 1;
      int seen;
#pragma omp atomic capture
      {
        seen = other;
        other += (i & 1);
      }
#pragma omp critical
      if (seen >= 0) big++;
#pragma omp critical(second)
      {
        big += 0;
      }
    }
  }
  int last;
#pragma omp atomic read
  last = other;
#pragma omp atomic write
  other = 0;
  printf("locks %d %g %d %d %d %g\n", count, total, last, other, big, (double)wide);
}

static void worksharing(void) {
  enum { N = 40 };
  int a[N], sum = 0, last = 0, i, tmp = 3;
  for (i = 0; i < N; i++) a[i] = 0;
#pragma omp parallel
  {
#pragma omp for private(tmp)
    for (i = 0; i < N; i++) {
      tmp = i * 2;
#pragma omp task
      a[i] = work(i) + tmp;
    }
#pragma omp for reduction(+ : sum) lastprivate(last)
    for (int j = 0; j < N; j++) {
      sum += a[j];
      last = a[j];
    }
#pragma omp sections
    {
#pragma omp section
      {
#pragma omp task
        a[0] = work(100);
      }
#pragma omp section
      a[1] = 200;
    }
#pragma omp single
    sum += a[0] + a[1];
  }
  printf("worksharing %d %d %d\n", sum, last, tmp);
}

static int fib(int n) {
  int x, y;
  if (n < 2) return n;
#pragma omp task shared(x) if (n > 5) firstprivate(n)
  x = fib(n - 1);
#pragma omp task shared(y) final(n < 8) mergeable
  y = fib(n - 2);
#pragma omp taskwait
  return x + y;
}

static void depends(void) {
  int x = 0, tag[4] = {0}, data[4] = {0}, out = 0;
#pragma omp parallel
#pragma omp single
  {
    for (int i = 0; i < 4; i++) {
#pragma omp task depend(out : tag[i]) priority(i)
      data[i] = work(i + 1);
    }
#pragma omp task depend(iterator(k = 0 : 4), in : tag[k]) depend(out : x)
    for (int i = 0; i < 4; i++) x += data[i];
    for (int i = 0; i < 3; i++) {
#pragma omp task depend(in : x) depend(mutexinoutset : out)
      out += x;
    }
#pragma omp taskwait depend(in : out)
    printf("depends %d %d\n", x, out);
  }
}

static void show(int* value) { printf("value %d\n", *value); }
static void sentinels(void) {
  int* data = malloc(4 * sizeof *data);
  char tag;
#pragma omp parallel
  {
#pragma omp single
    {
#pragma omp task depend(out : tag)
      data[2] = work(42);
#pragma omp task depend(in : tag)
      show(&data[2]);
#pragma omp task depend(inout : tag)
      data[3] = data[2] + 1;
#pragma omp task depend(in : tag)
      printf("data %d\n", data[3]);
    }
  }
  free(data);
}

static void reductions(void) {
  int sum = 100, most = -5;
  double product = 1;
#pragma omp parallel
#pragma omp single
  {
#pragma omp taskgroup task_reduction(+ : sum) task_reduction(max : most) task_reduction(* : product)
    {
      for (int i = 1; i <= 10; i++) {
#pragma omp task in_reduction(+ : sum) in_reduction(max : most) in_reduction(* : product)
        {
          sum += i;
          if (i > most) most = i;
          product *= 2;
#pragma omp task in_reduction(+ : sum)
          sum += 1000;
#pragma omp taskwait
        }
      }
    }
  }
  printf("reductions %d %d %g\n", sum, most, product);
  int all = 7;
#pragma omp parallel reduction(task, + : all) num_threads(1)
  {
#pragma omp single
    for (int i = 0; i < 5; i++) {
#pragma omp task in_reduction(+ : all)
      all += i;
    }
  }
  printf("region %d\n", all);
}

static void loops(void) {
  enum { N = 1000 };
  static double x[N], y[N];
  int sum = 0, last = -1, count = 0;
  long i;
  double dot = 0;
#pragma omp parallel
#pragma omp single
  {
#pragma omp taskloop grainsize(100)
    for (i = 0; i < N; i++) {
      x[i] = i;
      y[i] = 1;
    }
#pragma omp taskloop num_tasks(7) firstprivate(sum)
    for (int j = N - 1; j >= 0; j -= 1) y[j] += 2 * x[j];
#pragma omp taskloop reduction(+ : dot) lastprivate(last)
    for (int j = 0; j < N; j += 3) {
      if (j % 2) continue;
      dot += x[j];
      last = j;
    }
#pragma omp taskloop collapse(2) shared(count)
    for (int j = 0; j < 10; j++)
      for (int k = 0; k != 10; k++) {
#pragma omp atomic
        count++;
      }
#pragma omp taskloop nogroup if (count == 0)
    for (double* p = x; p < x + 10; p++) *p = 5;
#pragma omp taskwait
  }
#pragma omp parallel master taskloop simd
  for (unsigned j = 0; j < 10; ++j) x[j] += 1;
  for (int j = 0; j < N; j++) sum += (int)y[j];
  printf("loops %d %g %d %d %g\n", sum, dot, last, count, x[0] + x[9]);
#pragma omp taskloop
  for (int j = 5; j < 5; j++) x[0] = -1;
  printf("none %g\n", x[0]);
}

int main(void) {
  region_waits();
  defaults();
  barriers();
  groups();
  locks();
  worksharing();
  int f = 0;
#pragma omp parallel shared(f)
#pragma omp single
  f = fib(12);
  printf("fib %d\n", f);
  depends();
  sentinels();
  reductions();
  loops();
  return 0;
}
