/* SPDX-License-Identifier: Apache-2.0 */
/* Arguments that read what their task declares are not evaluated before that is written; what they
 * change is not lost. */
#include <stdio.h>
#include <unistd.h>
static void slow_set(int* x) { usleep(20000); *x = 42; }
static void keep(int value, int* to) { *to = value; }
int total = 1; static int own = 1;
int get_total(void); static int get_own(void);
static int add(int a, int b) { return a + b; }
#define VALUE(p) (*(p))
static int ids; static int next_id(void) { return ++ids; }
struct s { int n; int v[4]; };
struct point { int x; };
static int value_of(const int* x) { return *x; }
static int first_of(const int* a, int n) { return n > 0 ? a[0] : -1; }
static int x_of(const struct point* p) { return p->x; }
static void helpers(void) {
  int x = 1, a[4] = {1, 1, 1, 1}, r1 = 0, r2 = 0, r3 = 0, *p = a;
  struct point s = {1}, *q = &s;
#pragma omp task inout(x)
  slow_set(&x);
#pragma omp task inout([4]p)
  slow_set(p);
#pragma omp task inout(q->x)
  slow_set(&q->x);
#pragma omp task in(x) out(r1)
  keep(value_of(&x), &r1);
#pragma omp task in([4]p) out(r2)
  keep(first_of(p, 4), &r2);
#pragma omp task in(q->x) out(r3)
  keep(x_of(q), &r3);
#pragma omp taskwait
  printf("%d %d %d\n", r1, r2, r3);
}
int main(void) {
  int r[12] = {0}, i = 0; struct s s = {1, {1,1,1,1}}, *p = &s;
#pragma omp task inout(total)
  slow_set(&total);
#pragma omp task inout(own)
  slow_set(&own);
#pragma omp task inout(p->v[2])
  slow_set(&p->v[2]);
#pragma omp task in(total) out(r[0])
  keep(get_total(), &r[0]);
#pragma omp task in(own) out(r[1])
  keep(get_own(), &r[1]);
#pragma omp task in(own) out(r[2])
  keep(add(own, 1), &r[2]);
#pragma omp task in(own) out(r[3])
  keep(own + i++, &r[3]);
#pragma omp task in(own) out(r[4])
  keep(next_id(), &r[4]);
#pragma omp task in(p->v[2]) out(r[5])
  keep(VALUE(&p->v[2]), &r[5]);
#pragma omp task in(p->v[2]) out(r[6])
  keep(({ int z = p->v[2]; z + 1; }), &r[6]);
#pragma omp task in(own) out(r[7])
  keep(own ? own : 7, &r[7]);
#pragma omp task in(p->v[2]) out(r[8])
  keep((*p).v[2], &r[8]);
  if (i)
#pragma omp task in(own) out(r[9])
    keep(own + --i, &r[9]);
  else i = 9;
#pragma omp taskwait
  for (int j = 0; j < 12; ++j) printf("%d ", r[j]);
  printf("%d\n", i);
  helpers();
  return 0;
}
int get_total(void) { return total; }
static int get_own(void) { return own; }
