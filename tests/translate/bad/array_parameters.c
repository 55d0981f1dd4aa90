/* SPDX-License-Identifier: Apache-2.0 */
/* What a parameter that is written as an array of unknown length names is not known. */
void f(int n, double a[], double v[n], double* rows[]) {
#pragma omp task inout(a)
  a[0] = 1;
#pragma omp task inout(v)
  v[0] = 1;
#pragma omp task inout(v[:])
  v[0] = rows[0][0];
}
