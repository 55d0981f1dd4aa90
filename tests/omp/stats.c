// SPDX-License-Identifier: Apache-2.0
//
// For `myr omp --stats`: five regions of two threads, a loop in each, seven tasks in each.
#include <stdio.h>

int main(void) {
  int sum = 0;
  for (int round = 0; round < 5; ++round) {
    sum = 0;
#pragma omp parallel  // region
    {
#pragma omp for schedule(dynamic, 10) reduction(+ : sum)  // loop
      for (int i = 0; i < 100; ++i) sum += i;
#pragma omp single
      for (int i = 0; i < 7; ++i) {
#pragma omp task shared(sum)  // task
#pragma omp atomic
        sum += 0;
      }
    }
  }
  printf("sum %d\n", sum);
  return 0;
}
