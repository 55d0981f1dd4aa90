/* SPDX-License-Identifier: Apache-2.0 */
#pragma omp task inout([n]a)
void scale(double* a, int n);

#define TWICE(a, n) (scale(a, n), scale(a, n))

void f(double* a, int n) {
  void (*function)(double*, int) = scale;
  function(a, n);
  TWICE(a, n);
}
