// SPDX-License-Identifier: Apache-2.0
// flags: -fopenmp-simd
// Other directives of OpenMP inside tasks.
#include <stdio.h>

//: simd_reduction
static double sum = -1;
void simd_reduction(void) {
  double a[100], sum = 0;
  for (int i = 0; i < 100; ++i) a[i] = i;
#pragma omp task in(a) inout(sum)
  {
#pragma omp simd reduction(+ : sum)
    for (int i = 0; i < 100; ++i) sum += a[i];
  }
#pragma omp taskwait
  printf("%g\n", sum);
}
//= 4950
//: simd_over_shared_arrays
void simd_over_shared_arrays(void) {
  float a[64], b[64];
  for (int i = 0; i < 64; ++i) a[i] = i;
#pragma omp task in(a) out(b)
  //? between
#pragma omp simd
  for (int i = 0; i < 64; ++i) b[i] = 2 * a[i];
#pragma omp taskwait
  printf("%g %g\n", b[1], b[63]);
}
//= 2 126
//: simd_in_main
void simd_in_main(void) {
  int a[16], n = 0;
#pragma omp simd
  for (int i = 0; i < 16; ++i) a[i] = i;
#pragma omp task in(a) inout(n)
  for (int i = 0; i < 16; ++i) n += a[i];
#pragma omp taskwait
  printf("%d %g\n", n, sum);
}
//= 120 -1
