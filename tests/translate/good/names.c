/* SPDX-License-Identifier: Apache-2.0 */
/* The program's macros are named as they like, and functions declare what they use. */
#include <stdio.h>
#define rows 8
#define first 0
#define flags 1
#define bytes sizeof
#define next(x) (x)->flags
#define closure 2
#define accesses 3
#define T 4
static void fill(int* a, int n) {
  for (int i = 0; i < n; ++i) a[i] = flags;
}
int main(void) {
  void late(int* to, int value);
  extern int counter;
  int a[rows], sum = 0;
#pragma omp task out(a[first;rows])
  fill(a, rows);
#pragma omp task inout(counter) in(a)
  {
    counter += a[closure] + accesses;
    late(&counter, T);
  }
#pragma omp task inout(sum)
  late(&sum, 2);
#pragma omp taskwait
  for (int i = first; i < rows; ++i) sum += a[i];
  printf("%d %d %zu\n", sum, counter, bytes(int));
  return 0;
}
int counter = 2;
void late(int* to, int value) { *to += value; }
