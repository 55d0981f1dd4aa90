/* SPDX-License-Identifier: Apache-2.0
 *
 * What sum.c does, with pragmas: compiled by an installed myrcc.
 */
#include <stdio.h>

static void fill(long* numbers, int count, int factor) {
  for (int i = 0; i < count; ++i) numbers[i] = (long)i * factor;
}

static long numbers[16][1000];

int main(void) {
  long sum = 0;
  for (int block = 0; block < 16; ++block) {
#pragma omp task out(numbers[block])
    fill(numbers[block], 1000, block + 1);
#pragma omp task in(numbers[block])inout(sum)
    for (int i = 0; i < 1000; ++i) sum += numbers[block][i];
  }
#pragma omp taskwait
  printf("sum %ld\n", sum);
  return 0;
}
