// SPDX-License-Identifier: Apache-2.0
//
// The same in C, with pragmas: compiled by myrcc.
#include <stdio.h>
#include <stdlib.h>

enum { kBands = 8, kBand = 1000, kSteps = 200, kRod = kBands * kBand };

static void smooth(const double* rod, double* next, int first) {
  for (int i = first; i < first + kBand; ++i) {
    const double before = rod[i == 0 ? 0 : i - 1];
    const double after = rod[i == kRod - 1 ? i : i + 1];
    next[i] = (before + rod[i] + after) / 3;
  }
}

int main(void) {
  double* rod = calloc(kRod, sizeof *rod);
  double* next = calloc(kRod, sizeof *next);
  rod[3999] = 1000000;
  for (int step = 0; step < kSteps; ++step) {
    for (int first = 0; first < kRod; first += kBand) {
      const int low = first == 0 ? 0 : first - 1;
      const int high = first + kBand == kRod ? kRod : first + kBand + 1;
#pragma omp task in(rod[low; high - low]) out(next[first; kBand])
      smooth(rod, next, first);
    }
    double* swap = rod;
    rod = next;
    next = swap;
  }
#pragma omp taskwait on(rod[4000])
  printf("%.3f\n", rod[4000]);
#pragma omp taskwait
  free(rod);
  free(next);
  return 0;
}
