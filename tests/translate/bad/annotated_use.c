/* SPDX-License-Identifier: Apache-2.0 */
#pragma omp task inout([n]a)
void scale(double* a, int n);

void f(double* a, int n) { scale(a, n); }

#pragma omp task in(*x) out(*y)
void copy(int value, const int* x, int* y);
int first(const int* x);

void too_early(int* x, int* y) {
  copy(*x, x, y);
  copy(first(x), x, y);
}
