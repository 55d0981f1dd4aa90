/* SPDX-License-Identifier: Apache-2.0 */
#include <myrmics.h>

struct flags {
  unsigned low : 3;
  double* data;
};
void work(double* a, int n);
void value(int n);

void omp(double* p, int n, struct flags* s, double (*rows)[8]) {
  double list[8], x;
#pragma omp task inout(p)
  work(p, n);
#pragma omp task in(5)
  work(p, n);
#pragma omp task in(n + 1)
  work(p, n);
#pragma omp task in(s->low)
  work(p, n);
#pragma omp task in([n]x)
  work(p, n);
#pragma omp task in(x[0; n])
  work(p, n);
#pragma omp task in(p[0; 2][0; 2])
  work(p, n);
#pragma omp task in(p[2 : ])
  work(p, n);
#pragma omp task in(rows[ : ][0; 2])
  work(p, n);
#pragma omp task in([2][2][2][2] p)
  work(p, n);
#pragma omp task in([n][n]p[0; n])
  work(p, n);
#pragma omp task in(s->data)
  work(s->data, n);
#pragma omp task in(list[0; 4], (p))
  work(list, n);
#pragma omp taskwait on(p)
}

struct opaque;
enum { kConstant = 1 };

void memory(void* v, struct opaque* o, double* p, int n) {
  register int fast = 0;
#pragma omp task in(*v)
  work(p, n);
#pragma omp task in([n]o)
  work(p, n);
#pragma omp task in(fast)
  work(p, n);
#pragma omp task in(work)
  work(p, n);
#pragma omp task in(kConstant)
  work(p, n);
#pragma omp task in(-n, n++, &n)
  work(p, n);
#pragma omp task in(*p) firstprivate(p[0])
  {
    work(p, n);
  }
}

void myrmics(double* p, int n, rid_t r, struct flags s) {
#pragma myrmics task in(r) in(p)
  work(p, n);
#pragma myrmics task region in(p)
  work(p, n);
#pragma myrmics task region in(s)
  work(p, n);
#pragma myrmics task region in(r[0; 3])
  work(p, n);
#pragma myrmics task inout(p, n) safe(q)
  work(p, n);
#pragma myrmics task out(n)
  value(n);
}
