/* SPDX-License-Identifier: Apache-2.0 */
void work(int* a);

void f(int* a, int n) {
  int row[n];
#pragma omp task inout(*a)
  {
#define TWO 2
    *a += TWO;
  }
#pragma omp task inout(*a)
#pragma GCC ivdep
  for (int i = 0; i < 3; i++) a[0] += i;
#pragma omp task inout(*a)
#if 1
  {
#else
  for (;;) {
#endif
    work(a);
  }
#pragma omp task out(row)
  row[0] = (int)sizeof(row);
#pragma omp task out(row) inout(*a)
  *a = (*&row)[0];
}
