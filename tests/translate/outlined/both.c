/* SPDX-License-Identifier: Apache-2.0
 *
 * Tasks of the compiler's own library in its own regions, before and behind Myrmidon's. */
#include <stdio.h>

#include "next.h"

static int theirs(void) {
  int sum = 0;
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 100; ++i) {
#pragma omp task firstprivate(i) shared(sum)
#pragma omp atomic
    sum += i;
  }
  return sum;
}

int main(void) {
  int x = theirs();
  for (int i = 0; i < 10; ++i) {
    NEXT(USES(x, INOUT));
#pragma omp task firstprivate(i) shared(x)
    x = x * 3 % 1000 + i;
  }
  myr_wait_all();
  printf("%d %d\n", x, theirs());
  return 0;
}
