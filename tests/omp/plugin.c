// SPDX-License-Identifier: Apache-2.0
//
// A library that uses OpenMP and is loaded late and unloaded.

int sum_in_parallel(int count);
int sum_of_sums(int times, int (*sum)(int), int count);

int sum_in_parallel(int count) {
  int sum = 0;
#pragma omp parallel for reduction(+ : sum) schedule(dynamic)
  for (int i = 0; i < count; ++i) sum += i;
  return sum;
}

// Calls another function, which may be of another runtime, from all threads.
int sum_of_sums(int times, int (*sum)(int), int count) {
  int sums = 0;
#pragma omp parallel for reduction(+ : sums)
  for (int i = 0; i < times; ++i) sums += sum(count);
  return sums;
}
