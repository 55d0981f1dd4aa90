// SPDX-License-Identifier: Apache-2.0
//
// Numbers of threads are those of workers.
#include <omp.h>
#include <stdio.h>
int main(void) {
  int per[64] = {0}, n = 0, sum = 0;
#pragma omp parallel
  {
#pragma omp single
    {
      n = omp_get_num_threads();
      for (int i = 0; i < 100; i++)
#pragma omp task shared(per)
      {
#pragma omp atomic
        per[omp_get_thread_num()] += 1;
      }
    }
  }
  for (int i = 0; i < n; i++) sum += per[i];
  printf("%d\n", sum);
}
