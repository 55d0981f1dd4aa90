/* SPDX-License-Identifier: Apache-2.0 */
#include <stddef.h>
void work(int* a, int n);

void f(int* a, int n) {
#pragma omp task inout([size] a) priority(urgent)
  work(a, n);
#pragma myrmics task in(b)in(n)
  work(a, n);
#pragma omp task firstprivate(nothing)
  work(a, n);
}
