/* SPDX-License-Identifier: Apache-2.0 */
void work(int* a, int n);

void f(int* a, int n) {
#pragma omp task in(a
  work(a, n);
#pragma omp task in(*a) produces(*a)
  work(a, n);
#pragma myrmics task inout a
  work(a, n);
#pragma myrmics task region
  work(a, n);
#pragma myrmics task in(a) priority(3)
  work(a, n);
#pragma omp task in([] a)
  work(a, n);
#pragma omp task in([n) a)
  work(a, n);
#pragma omp task in(a[1;])
  work(a, n);
#pragma omp task in(a[])
  work(a, n);
#pragma omp task in()
  work(a, n);
#pragma omp task in(*a, ) final()
  work(a, n);
#pragma omp task depend(*a)
  work(a, n);
#pragma omp task depend(in* a)
  work(a, n);
#pragma omp task default(private)
  work(a, n);
#pragma omp task in(a[0; n].x)
  work(a, n);
#pragma omp task inout([n]a) if (n > 3) whatever
  work(a, n);
#pragma omp taskwait for (a)
#pragma myrmics wait on a
#pragma myrmics wait on(a) at(a)
}
