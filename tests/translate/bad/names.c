/* SPDX-License-Identifier: Apache-2.0 */
#include <stddef.h>
struct s {
  int x;
};
void work(int* a, int n);

void f(int* a, int n) {
#pragma omp task inout([size] a) priority(urgent)
  work(a, n);
#pragma myrmics task in(b) in(n)
  work(a, n);
#pragma omp task firstprivate(nothing)
  work(a, n);
#pragma omp task in(a[1.5; n], a[n; a])
  work(a, n);
#pragma omp task in([*a + 0.5]a) if (*(struct s*)a)
  work(a, n);
#pragma omp task in(*(struct opaque*)a)
  work(a, n);
}
