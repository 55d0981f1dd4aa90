/* SPDX-License-Identifier: Apache-2.0 */
typedef double __attribute__((aligned(64))) wide;

int f(int n, int m) {
  int total = 0, x = 0, i;
  wide w = 0;
#pragma omp task inout(total)
  return total;
#pragma omp task out(x)
  x = (int)w;
#pragma omp task default(none) inout(total)
  total += n;
  for (i = 0; i < n; i++) {
#pragma omp task inout(total)
    {
      if (total > 5) break;
      continue;
    }
  }
  switch (n) {
#pragma omp task inout(total)
    case 1:
      total = 3;
  }
#pragma omp task inout(total)
  {
  again:
    if (total++ < 4) goto again;
  }
#pragma omp task
  x = m++;
  return x;
}

void jumps(int x) {
#pragma omp task
  {
    if (x) goto out;
  in:
    x = 1;
  }
  if (x > 1) goto in;
out:;
}
