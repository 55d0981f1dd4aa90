/* SPDX-License-Identifier: Apache-2.0 */
void work(int* a);

void f(int* a) {
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
}
